// Which pods of earlier targets may still run streams, and which pool has to wait for them?
import { type Assignment, unboundSlot } from '../../api/assignment.ts';
import { keyOf, type Ref, refOf } from '../../api/objects.ts';
import type { Pod } from '../../api/observed.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { KnownWorkloads } from '../../runtime/store/workloads.ts';
import { changeOf, isEdited, LABEL_POOL } from '../publish/config-map.ts';
import { shardsOf, versionIn, workersIn } from '../publish/published.ts';
import { assignedTo, notedOn } from '../workers/seats.ts';
import type { Predecessor, Published, PublishedShard } from '../world.ts';
import type { NotedVersions } from './known-versions.ts';
import type { PoolStore, Targets } from './pools.ts';
import type { Publications } from './publications.ts';

type FormerWorkersOptions = {
  readonly workloads: KnownWorkloads;
  readonly targets: Targets;
  readonly annotated: AnnotatedPods;
  readonly publications: Publications;
  readonly pools: PoolStore;
  readonly noted: NotedVersions;
  /** An assignment now names these pods, or no longer does. */
  readonly onNamed: (pods: readonly Ref[]) => void;
};

export class FormerWorkers {
  readonly #options: FormerWorkersOptions;
  readonly #named = new NamedWorkers();

  constructor(options: FormerWorkersOptions) {
    this.#options = options;
  }

  /** Keys of pools. */
  poolsNaming(pod: Ref): readonly string[] {
    return this.#named.poolsNaming(pod);
  }

  /** Notes which pods the assignment of a pool names. */
  note(pool: SwarmPool, { assignment }: Published): void {
    // The pool may have been deleted and forgotten while its assignment was read.
    const isThere = this.#options.pools.get(pool.meta)?.meta.uid === pool.meta.uid;
    if (pool.spec.ok && isThere) this.#options.onNamed(this.#named.note(pool.meta, assignment));
  }

  forget(pool: Ref): void {
    this.#options.onNamed(this.#named.forget(pool));
  }

  podsOf(pool: SwarmPool, { shards }: Published, owned: readonly Pod[]): readonly Pod[] {
    if (!pool.spec.ok) return [];
    const own = new Set(owned.map(({ name }) => name));
    const lost = this.#podsOfLost(pool, shards).filter(({ name }) => !own.has(name));
    return [...new Set([...this.#namedIn(pool, shards, own), ...lost])];
  }

  /** Terminating pods of no target and no assignment that mount a ConfigMap of the pool. */
  endingOf(pool: SwarmPool, { shards }: Published, others: readonly Pod[]): readonly Pod[] {
    const known = new Set(others.map(({ uid }) => uid));
    const isOver = ({ isTerminating, hasEnded }: Pod): boolean => !isTerminating || hasEnded;
    return this.#annotatedPods(pool, shards).filter((pod) => !known.has(pod.uid) && !isOver(pod));
  }

  /** A pool that had one of this pool's targets earlier, and whose workers still run streams. */
  async readPredecessor(pool: SwarmPool): Promise<Predecessor | undefined> {
    const [first] = await this.#readPredecessors(pool);
    if (first === undefined) return undefined;
    const [other, workers] = first;
    return { pool: other.meta.name, workers, isMutual: await this.#waitsFor(other, pool) };
  }

  /** `besides`: names of pods that are known. */
  #namedIn(
    { meta: { namespace } }: SwarmPool,
    shards: readonly PublishedShard[],
    besides: ReadonlySet<string> = new Set(),
  ): readonly Pod[] {
    const mounted = new Set(shards.map(({ name }) => name));
    return workersIn(shards, besides).flatMap((name) => {
      const pod = this.#options.workloads.pod({ namespace, name });
      return pod?.mountedConfigMaps.some((name) => mounted.has(name)) === true ? [pod] : [];
    });
  }

  /** After a loss, only annotations show which workers know the lost publication. */
  #podsOfLost(pool: SwarmPool, shards: readonly PublishedShard[]): readonly Pod[] {
    if (hasLostFile(pool, shards)) return this.#annotatedPods(pool, shards);
    const version = versionIn(shards);
    if (version >= Math.max(pool.status?.version ?? 0, this.#options.noted.highest(pool.meta)))
      return [];
    return this.#annotatedPods(pool, shards).filter(
      (pod) => (notedOn(pod)?.version ?? 0) > version,
    );
  }

  /** Pods that mount a ConfigMap of the pool and have an annotation of ours. */
  #annotatedPods({ meta, spec }: SwarmPool, shards: readonly PublishedShard[]): readonly Pod[] {
    if (!spec.ok) return [];
    const { namespace } = meta;
    const configMaps = new Set(
      [...shardsOf(meta.name, spec.value), ...shards].map(({ name }) => name),
    );
    const told = new Set(
      [...configMaps].flatMap((name) => this.#options.annotated.at({ namespace, name })),
    );
    return [...told].filter((pod) => assignedTo(pod) !== undefined);
  }

  /** Other pools, with the pods of this pool's targets that they still name and no longer mean. */
  async #readPredecessors(pool: SwarmPool): Promise<ReadonlyMap<SwarmPool, readonly string[]>> {
    const { workloads, targets, pools, publications } = this.#options;
    const own = keyOf(pool.meta);
    for (const other of pools.by('exclusiveIn', pool.meta.namespace))
      if (!this.#named.knows(other.meta)) this.note(other, await publications.read(other));
    const found = new Map<SwarmPool, string[]>();
    if (!this.#named.hasOthersThan(pool.meta)) return found;
    for (const pod of targets.meantBy(pool).flatMap((target) => workloads.podsOf(target))) {
      for (const key of this.#named.poolsNaming(pod)) {
        const other = key === own ? undefined : pools.get(refOf(key));
        if (other === undefined || !(await this.#isFormerOf(pod, other))) continue;
        found.set(other, [...(found.get(other) ?? []), pod.name]);
      }
    }
    return found;
  }

  async #isFormerOf(pod: Pod, pool: SwarmPool): Promise<boolean> {
    const { workloads, targets, publications } = this.#options;
    if (pool.meta.isDeleting || pod.hasEnded) return false;
    const meant = targets.meantBy(pool);
    if (workloads.ownersOf(pod).some((owner) => meant.includes(owner))) return false;
    const { shards } = await publications.read(pool);
    // Only by the pool's own label: without it, two pools may have named one ConfigMap.
    const own = shards.filter(({ configMap }) => configMap.labels[LABEL_POOL] === pool.meta.name);
    return this.#namedIn(pool, own).some(({ uid }) => uid === pod.uid);
  }

  /** Directly or through others. */
  async #waitsFor(pool: SwarmPool, awaited: SwarmPool): Promise<boolean> {
    const seen = new Set<SwarmPool>();
    for (const open = [pool]; open.length > 0; ) {
      const next = open.pop();
      if (next === undefined || seen.has(next)) continue;
      seen.add(next);
      const others = [...(await this.#readPredecessors(next)).keys()];
      if (others.some(({ meta }) => meta.uid === awaited.meta.uid)) return true;
      open.push(...others);
    }
    return false;
  }
}

/**
 * Of the ConfigMaps that the operator wrote for this pool: was one edited, made unreadable, or
 * deleted while others stayed?
 */
function hasLostFile({ meta, spec }: SwarmPool, published: readonly PublishedShard[]): boolean {
  const own = published.filter(
    ({ configMap }) =>
      configMap.labels[LABEL_POOL] === meta.name && changeOf(configMap) !== undefined,
  );
  const there = new Set(published.map(({ name }) => name));
  const isMissing =
    own.length > 0 &&
    spec.ok &&
    shardsOf(meta.name, spec.value).some(({ name }) => !there.has(name));
  return isMissing || own.some((file) => file.read?.ok !== true || isEdited(file));
}

type Named = { readonly assignment: Assignment | undefined; readonly pods: ReadonlySet<string> };

export class NamedWorkers {
  readonly #byPool = new Map<string, Named>();
  readonly #byPod = new Map<string, Set<string>>();
  /** Namespace -> pools, by key. */
  readonly #byNamespace = new Map<string, Set<string>>();

  /** Does another pool of the namespace name any pod? */
  hasOthersThan(pool: Ref): boolean {
    const pools = this.#byNamespace.get(pool.namespace ?? '');
    return pools !== undefined && pools.size > (pools.has(keyOf(pool)) ? 1 : 0);
  }

  knows(pool: Ref): boolean {
    return this.#byPool.has(keyOf(pool));
  }

  /** Keys of pools. */
  poolsNaming(pod: Ref): readonly string[] {
    return [...(this.#byPod.get(keyOf(pod)) ?? [])];
  }

  /** Returns the pods that are newly named or no longer named. */
  note(pool: Ref, assignment: Assignment | undefined): readonly Ref[] {
    const key = keyOf(pool);
    const before = this.#byPool.get(key);
    if (before !== undefined && before.assignment === assignment) return [];
    const pods = podsNamedIn(pool, assignment);
    const gone = [...(before?.pods ?? [])].filter((pod) => !pods.has(pod));
    const fresh = [...pods].filter((pod) => before?.pods.has(pod) !== true);
    for (const pod of gone) {
      const pools = this.#byPod.get(pod);
      pools?.delete(key);
      if (pools?.size === 0) this.#byPod.delete(pod);
    }
    for (const pod of fresh) this.#byPod.set(pod, (this.#byPod.get(pod) ?? new Set()).add(key));
    this.#byPool.set(key, { assignment, pods });
    this.#noteNamespace(pool, pods.size > 0);
    return [...gone, ...fresh].map(refOf);
  }

  forget(pool: Ref): readonly Ref[] {
    const gone = this.note(pool, undefined);
    this.#byPool.delete(keyOf(pool));
    return gone;
  }

  #noteNamespace(pool: Ref, isNaming: boolean): void {
    const { namespace = '' } = pool;
    const pools = this.#byNamespace.get(namespace) ?? new Set<string>();
    if (isNaming) pools.add(keyOf(pool));
    else pools.delete(keyOf(pool));
    if (pools.size === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, pools);
  }
}

const podsNamedIn = (
  { namespace = '' }: Ref,
  assignment: Assignment | undefined,
): ReadonlySet<string> =>
  new Set(
    [...(assignment?.workloads ?? [])].flatMap(([name, { slot }]) =>
      slot !== undefined && name === unboundSlot(slot) ? [] : [keyOf({ namespace, name })],
    ),
  );

/** Once a ConfigMap is lost, only annotations show which version a pod knows. */
export class AnnotatedPods {
  /** ConfigMap -> pods, by key. */
  readonly #byConfigMap = new Map<string, Map<string, Pod>>();

  /** Returns the ConfigMaps that the pod mounts or mounted before. */
  note(ref: Ref, before: Pod | undefined, after: Pod | undefined): readonly string[] {
    const key = keyOf(ref);
    const left = mountedBy(before);
    const taken = mountedBy(after);
    for (const configMap of left) {
      const pods = this.#byConfigMap.get(configMap);
      pods?.delete(key);
      if (pods?.size === 0) this.#byConfigMap.delete(configMap);
    }
    if (after !== undefined)
      for (const configMap of taken)
        this.#byConfigMap.set(
          configMap,
          (this.#byConfigMap.get(configMap) ?? new Map()).set(key, after),
        );
    return [...left, ...taken];
  }

  at(configMap: Ref): readonly Pod[] {
    return [...(this.#byConfigMap.get(keyOf(configMap))?.values() ?? [])];
  }
}

const mountedBy = (pod: Pod | undefined): readonly string[] =>
  pod?.assigned === undefined
    ? []
    : pod.mountedConfigMaps.map((name) => keyOf({ namespace: pod.namespace, name }));
