// Which pools exist, without their streams where memory is short, and which workloads does each
// mean, or may it have meant?
import { kinds } from '../../api/kinds.ts';
import { nearest } from '../../api/nearest.ts';
import { asList, asRecord, type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import type { Target, TargetKind } from '../../api/observed.ts';
import { type PoolTargets, soughtUnder, targetKindOf, targetsOf } from '../../api/pool-targets.ts';
import { annotated, slimmed } from '../../api/slim.ts';
import {
  parseSwarmPool,
  type SpecSize,
  type SwarmPool,
  type SwarmPoolSpec,
} from '../../api/validate.ts';
import { isSameJson } from '../../core/json.ts';
import { ANNOTATION_PAUSED } from '../../core/labels.ts';
import type { Change, KubeApi } from '../../runtime/client/api.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { TurnScheduler } from '../../runtime/queue/turn-scheduler.ts';
import type { KnownWorkloads } from '../../runtime/store/workloads.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { shardsOf } from '../publish/published.ts';
import { ANNOTATION_CONFIRM_REMOVAL } from '../streams/removal.ts';
import { keptRestarts } from '../streams/restarts.ts';
import type { TargetSuggestion } from '../world.ts';

type Index = 'sought' | 'configMap' | 'exclusiveIn';

type PoolsOptions = {
  readonly api: Pick<KubeApi, 'list'>;
  readonly scheduler: TurnScheduler;
  /** For the streams of this pool. */
  readonly tryReserve: (pool: Ref, size: SpecSize) => boolean;
};

export class PoolStore {
  readonly #options: PoolsOptions;
  readonly #pools: Cache<SwarmPool, Index>;
  /** Of specs that are kept whole. */
  readonly #sizes = new WeakMap<SwarmPoolSpec, SpecSize>();

  constructor(options: PoolsOptions) {
    this.#options = options;
    this.#pools = new Cache((object: KubeObject) => this.#parse(object), {
      sought: (pool: SwarmPool) => soughtUnder(soughtBy(pool)),
      configMap: (pool: SwarmPool) =>
        configMapsOf(pool).map((name) => keyOf({ namespace: pool.meta.namespace, name })),
      exclusiveIn: ({ meta, spec }: SwarmPool) =>
        spec.ok && spec.value.handoff.type === 'Exclusive' ? [meta.namespace] : [],
    });
  }

  /** Drops streams that have no room here already: a list of large pools is held as a whole. */
  slim(object: KubeObject): KubeObject {
    if (object['size'] !== undefined) return object;
    const { metadata, spec, status } = object;
    const { generation = 0, creationTimestamp = '' } = metadata;
    return this.#options.scheduler.now(metadata.namespace ?? '', () => {
      const size = sizeOf(spec);
      const isWithheld = size.streams > 0 && !this.#options.tryReserve(metadata, size);
      const kept = isWithheld ? { spec: withoutStreams(spec), isWithheld } : { spec };
      const annotations = {
        ...annotated(metadata, ANNOTATION_PAUSED, ANNOTATION_CONFIRM_REMOVAL).annotations,
        ...keptRestarts(metadata),
      };
      const about = { generation, creationTimestamp, annotations };
      return slimmed(object, { metadata: about, status, size, ...kept });
    });
  }

  apply(change: Change): {
    readonly before: SwarmPool | undefined;
    readonly after: SwarmPool | undefined;
  } {
    return this.#pools.apply(change);
  }

  get(ref: Ref): SwarmPool | undefined {
    return this.#pools.get(ref);
  }

  keys(): IterableIterator<string> {
    return this.#pools.keys();
  }

  by(index: Index, key: string): readonly SwarmPool[] {
    return this.#pools.by(index, key);
  }

  /** Also of a spec whose streams are withheld. */
  sizeOf({ spec }: SwarmPool): SpecSize {
    if (!spec.ok) return { streams: 0, characters: 0 };
    if (spec.withheld !== undefined) return spec.withheld;
    return this.#sizes.get(spec.value) ?? sizeOf(spec.value);
  }

  /** As it is now: the watch may have reported another version since `seen`. */
  withhold(seen: SwarmPool): SwarmPool {
    const pool = this.get(seen.meta) ?? seen;
    if (!pool.spec.ok || pool.spec.withheld !== undefined) return pool;
    const size = this.sizeOf(pool);
    const { streams: _, ...rest } = pool.spec.value;
    const hasStreams = size.streams > 0;
    // Another object, so that what was computed of the last one is freed with it.
    const value = hasStreams ? rest : { ...pool.spec.value };
    this.#sizes.set(value, size);
    const spec = { ok: true, value, ...(hasStreams && { withheld: size }) } as const;
    const light: SwarmPool = { ...pool, spec };
    this.#pools.replace(pool.meta, light);
    return light;
  }

  /** Reads the withheld streams. By a list, since the operator has no right to get a pool. */
  async readWhole({ meta }: SwarmPool): Promise<Change> {
    const { namespace, name } = meta;
    const { items } = await this.#options.api.list(kinds.SwarmPool, namespace, {
      fieldSelector: `metadata.name=${name}`,
    });
    const object = items.find(({ metadata }) => metadata.name === name);
    const known = this.get(meta)?.meta.resourceVersion;
    // The watch has reported another version or the deletion, or will.
    if (known === meta.resourceVersion && object?.metadata.resourceVersion === known)
      return { type: 'MODIFIED', object: this.slim(object) };
    throw new KubeError(
      'Unavailable',
      `SwarmPool ${namespace}/${name} differs from its last watch event`,
    );
  }

  /** Keeps the spec the same object while it is equal: caches depend on it. */
  #parse(object: KubeObject): SwarmPool {
    const pool = this.#options.scheduler.now(object.metadata.namespace ?? '', () =>
      parseSwarmPool(object),
    );
    if (!pool.spec.ok) return pool;
    const { size = sizeOf(object['spec']), isWithheld = false } = object as Slimmed;
    const spec = isWithheld ? { ...pool.spec, withheld: size } : pool.spec;
    const before = this.#pools.get(object.metadata);
    // A generation may return when etcd is restored from a snapshot.
    const isSameSpec =
      before?.meta.generation === pool.meta.generation && isSameJson(before.spec, spec);
    if (isSameSpec) return { ...pool, spec: before.spec };
    this.#sizes.set(spec.value, size);
    return { ...pool, spec };
  }
}

/** The fields that `slim` adds. */
type Slimmed = { readonly size?: SpecSize; readonly isWithheld?: boolean };

export const isWithheld = ({ spec }: SwarmPool): boolean => spec.ok && spec.withheld !== undefined;

/** Its own, and those with lists. */
export function configMapsOf({ meta, spec }: SwarmPool): readonly string[] {
  if (!spec.ok) return [];
  return [
    ...shardsOf(meta.name, spec.value).map(({ name }) => name),
    ...(spec.value.streamsFrom ?? []).map((from) => from.configMapKeyRef.name),
  ];
}

const sizeOf = (spec: unknown): SpecSize => ({
  streams: asList(asRecord(spec)?.['streams']).length,
  characters: JSON.stringify(spec ?? {}).length,
});

function withoutStreams(spec: unknown): object {
  const { streams: _, ...rest } = asRecord(spec) ?? {};
  return rest;
}

/** A pool whose spec is invalid means nothing. */
export const soughtBy = ({ meta: { namespace }, spec }: SwarmPool): PoolTargets => ({
  namespace,
  workers: spec.ok ? spec.value.workers : {},
});

export class Targets {
  readonly #workloads: KnownWorkloads;

  constructor(workloads: KnownWorkloads) {
    this.#workloads = workloads;
  }

  /** In the order of their names. A Deployment that a selector without a kind finds is reported. */
  meantBy(pool: SwarmPool): readonly Target[] {
    return targetsOf(soughtBy(pool), this.#workloads);
  }

  /** Deployments that the selector finds when the pool names no kind. */
  otherKindTargetsOf(pool: SwarmPool): readonly Target[] {
    const sought = soughtBy(pool);
    const { kind, targetRef } = sought.workers;
    return kind === undefined && targetRef === undefined
      ? targetsOf(sought, this.#workloads, 'Deployment')
      : [];
  }

  /** The HorizontalPodAutoscaler that scales the pool itself. */
  autoscalerOfPool({ meta }: SwarmPool): string | undefined {
    return this.#workloads.autoscalerOf(kinds.SwarmPool, meta);
  }
}

/** Of each kind: comparing long names takes 60 microseconds each, and a hint is not worth more. */
const MOST_COMPARED = 200;

const otherKind: Readonly<Record<TargetKind, TargetKind>> = {
  StatefulSet: 'Deployment',
  Deployment: 'StatefulSet',
};

/** The same for the same workloads, in whichever order they were reported. */
export function suggestTarget(
  sought: PoolTargets,
  workloads: KnownWorkloads,
): TargetSuggestion | undefined {
  const kind = targetKindOf(sought.workers);
  const other = otherKind[kind];
  const [target] = targetsOf(sought, workloads, other);
  if (target !== undefined) return { why: 'OtherKind', target };
  if (sought.workers.targetRef === undefined) {
    const isOpen = sought.workers.kind === undefined;
    const all = isOpen ? [kind, other] : [kind];
    return labelledOnPods(sought, workloads, all) ?? nearLabel(sought, workloads, all);
  }
  return nearName(sought.workers.targetRef.name, sought.namespace, workloads, [kind, other]);
}

/** Workloads that lack labels which their pods have, as a user may easily overlook. */
function labelledOnPods(
  { namespace, workers: { selector } }: PoolTargets,
  workloads: KnownWorkloads,
  kinds: readonly TargetKind[],
): TargetSuggestion | undefined {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  if (wanted.length === 0) return undefined;
  for (const kind of kinds) {
    const [target, ...others] = inOrder(workloads.of(kind, namespace)).filter(({ podLabels }) =>
      wanted.every(([key, value]) => podLabels[key] === value),
    );
    if (target !== undefined) return { why: 'LabelledOnPods', target, others };
  }
  return undefined;
}

/** One label differs by a typo, in its key or in its value. */
function nearLabel(
  { namespace, workers: { selector } }: PoolTargets,
  workloads: KnownWorkloads,
  kinds: readonly TargetKind[],
): TargetSuggestion | undefined {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  for (const kind of kinds)
    for (const target of inOrder(workloads.of(kind, namespace)).slice(0, MOST_COMPARED)) {
      const [differs, ...others] = wanted.filter(([key, value]) => target.labels[key] !== value);
      if (differs === undefined || others.length > 0) continue;
      const label = Object.entries(target.labels).find((own) => isNear(differs, own));
      if (label !== undefined) return { why: 'NearLabel', target, label: label.join('=') };
    }
  return undefined;
}

type Label = readonly [key: string, value: string];

const isNear = ([key, value]: Label, [ownKey, ownValue]: Label): boolean =>
  key === ownKey
    ? nearest(value, [ownValue]) !== undefined
    : value === ownValue && nearest(key, [ownKey]) !== undefined;

function nearName(
  name: string,
  namespace: string,
  workloads: KnownWorkloads,
  kinds: readonly TargetKind[],
): TargetSuggestion | undefined {
  for (const kind of kinds) {
    const present = inOrder(workloads.of(kind, namespace)).slice(0, MOST_COMPARED);
    const near = nearest(
      name,
      present.map((target) => target.name),
    );
    const target = present.find((it) => it.name === near);
    if (target !== undefined) return { why: 'NearName', target };
  }
  return undefined;
}

const inOrder = (targets: readonly Target[]): readonly Target[] =>
  targets.filter(({ isDeleting }) => !isDeleting).sort((a, b) => (a.name < b.name ? -1 : 1));
