// What wakes a SwarmPool, and what follows from a decision besides its steps?
import { type Kind, kinds } from '../api/kinds.ts';
import { keyOf, type Ref, refOf } from '../api/objects.ts';
import type { Target } from '../api/observed.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Decision, Refusal } from '../core/decision.ts';
import type { Work } from '../core/work.ts';
import type { WorkerProbes } from '../probes/probes.ts';
import type { Change, KubeApi } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Controller, Wake } from '../runtime/engine/controller.ts';
import { TurnScheduler } from '../runtime/queue/turn-scheduler.ts';
import type { Marks } from '../runtime/store/config-maps.ts';
import type { Creations } from '../runtime/store/creations.ts';
import { makeStore, type Store } from '../runtime/store/store.ts';
import type { Subscription } from '../runtime/watch/subscriptions.ts';
import { decideFailed, decideInTurns, decideOrphan, type PoolDecision } from './decide.ts';
import { PoolCaches } from './observe/caches.ts';
import { configMapsOf } from './observe/pools.ts';
import type { Reader } from './observe/texts/long-texts.ts';
import { observePool } from './observe.ts';
import { ANNOTATION_CHANGE, LABEL_POOL } from './publish/config-map.ts';
import { readPool } from './read.ts';
import { nothingRemembered, type OrphanWorld, type PoolWorld, type Remembered } from './world.ts';

export const poolMarks: Marks = { label: LABEL_POOL, annotation: ANNOTATION_CHANGE };

type SwarmPoolOptions = {
  readonly api: Pick<KubeApi, 'get' | 'list' | 'serves'>;
  readonly clock: Clock;
  /** Caches shared by all kinds. Left out: this controller has its own. */
  readonly store?: Store;
  readonly workers: WorkerProbes;
  /** Left out: the reason why pods are missing is not read. */
  readonly creations?: Creations;
  /** Runs the reading of long texts and the gathering of worlds. Left out: one of its own. */
  readonly scheduler?: TurnScheduler;
  /** Reads long texts on another thread. Left out: on this one. */
  readonly reader?: Reader;
  /** Bytes for all pools together. Left out: unbounded. */
  readonly memory?: number;
};

/** Watches tell of all that pools scale. */
type PoolController = Required<Omit<Controller<PoolWorld | OrphanWorld, PoolDecision>, 'scaled'>>;

export const swarmPoolController = (options: SwarmPoolOptions): PoolController =>
  new SwarmPoolController(options);

class SwarmPoolController implements PoolController {
  readonly name = 'SwarmPool';
  readonly #caches: PoolCaches;
  readonly #scheduler: TurnScheduler;
  readonly #reading: Parameters<typeof readPool>[0];
  readonly #sources: Parameters<typeof observePool>[0];
  readonly #workers: WorkerProbes;
  readonly #creations: Creations | undefined;
  /** By key. */
  readonly #remembered = new Map<string, Remembered>();
  #wake: Wake = () => undefined;

  constructor(options: SwarmPoolOptions) {
    const { api, clock, workers, creations, scheduler = new TurnScheduler(options) } = options;
    this.#workers = workers;
    this.#creations = creations;
    this.#caches = new PoolCaches({
      api,
      store: options.store ?? makeStore(api, poolMarks),
      scheduler,
      reader: options.reader,
      memory: options.memory ?? Number.POSITIVE_INFINITY,
      wake: (key) => this.#wake(key),
      onNamed: (pods) => {
        const { workloads } = this.#caches;
        this.#wakeOf(pods.flatMap((pod) => workloads.ownersOf(workloads.pod(pod))));
      },
    });
    const onPool = (change: Change): void => this.#takePool(change);
    const caches = this.#caches;
    this.#scheduler = scheduler;
    this.#reading = { api, caches, onPool };
    this.#sources = { clock, caches, workers, creations };
  }

  subscriptions(wake: Wake): readonly Subscription[] {
    this.#wake = wake;
    const { workloads, configMaps, pools, formerWorkers, annotated } = this.#caches;
    workloads.listen({
      onWorkloads: (changed) => this.#wakeOf(changed),
      onPod: (pod, before, after) => {
        for (const key of formerWorkers.poolsNaming(pod)) wake(key);
        for (const configMap of annotated.note(pod, before, after))
          this.#wakeAll(pools.by('configMap', configMap));
      },
      onAutoscalers: (autoscalers) => {
        for (const { namespace, targetKind, targetName: name } of autoscalers)
          if (targetKind === kinds.SwarmPool.kind) wake(keyOf({ namespace, name }));
      },
    });
    configMaps.listen((change, labelBefore) => this.#takeConfigMap(change, labelBefore));
    return [
      ...workloads.subscriptions,
      configMaps.subscription,
      {
        kind: kinds.SwarmPool,
        slim: (object) => pools.slim(object),
        onChange: (change) => this.#takePool(change),
        onListed: () => this.#caches.memory.keepOnly((pool) => pools.get(pool) !== undefined),
      },
    ];
  }

  #wakeAll(pools: readonly SwarmPool[]): void {
    for (const { meta } of pools) this.#wake(keyOf(meta));
  }

  /** The pools that mean these targets. */
  #wakeOf(targets: readonly Target[]): void {
    for (const target of targets) this.#wakeAll(this.#caches.poolsOf(target));
  }

  #takePool(change: Change): void {
    const { pools, deletedPools, memory, formerWorkers } = this.#caches;
    const { before, after } = pools.apply(change);
    const key = keyOf(change.object.metadata);
    if (after === undefined) {
      deletedPools.add(key);
      memory.forget(refOf(key));
      formerWorkers.forget(refOf(key));
    } else deletedPools.delete(key);
    this.#wake(key);
    // Another pool that means the same target may have to yield now, or may proceed.
    if (before?.spec === after?.spec) return;
    if (before !== undefined) this.#caches.release(before.meta.namespace, configMapsOf(before));
    for (const pool of [before, after])
      if (pool !== undefined)
        this.#wakeAll(this.#caches.rivalsOf(pool).filter(({ meta }) => meta.uid !== pool.meta.uid));
  }

  #takeConfigMap({ type, object }: Change, labelBefore: string | undefined): void {
    const { pools, deletedPools, noted } = this.#caches;
    if (type !== 'DELETED') noted.note(object);
    this.#wakeAll(pools.by('configMap', keyOf(object.metadata)));
    const { namespace = '', labels } = object.metadata;
    for (const name of new Set([labelBefore, labels?.[LABEL_POOL]])) {
      if (name === undefined) continue;
      const pool = { namespace, name };
      const isThere = pools.get(pool) !== undefined;
      // Also a ConfigMap that the spec does not name: a former leader may have published in it, and
      // the version continues from there.
      if (isThere || deletedPools.has(keyOf(pool))) this.#wake(keyOf(pool));
      if (!isThere) this.#caches.forgetNoted(pool);
    }
  }

  keys(): readonly string[] {
    return [...this.#caches.pools.keys(), ...this.#caches.deletedPools];
  }

  async observe(
    key: string,
    refused: Refusal | undefined,
  ): Promise<PoolWorld | OrphanWorld | undefined> {
    const read = await readPool(this.#reading, key);
    if (read === undefined) return undefined;
    return this.#scheduler.inTurn(refOf(key).namespace ?? '', () => {
      const remembered = this.#remembered.get(key) ?? nothingRemembered;
      return observePool(this.#sources, key, read, { refused, remembered });
    });
  }

  *decide(world: PoolWorld | OrphanWorld, now: number): Work<PoolDecision> {
    return world.kind === 'DeletedSwarmPool'
      ? decideOrphan(world)
      : yield* decideInTurns(world, now);
  }

  decideFailed(key: string, refused: Refusal | undefined, now: number): Decision | undefined {
    const pool = this.#caches.pools.get(refOf(key));
    return pool === undefined ? undefined : decideFailed(pool, refused, now);
  }

  close(): Promise<void> {
    return this.#workers.stop();
  }

  paused(): void {
    this.#workers.forgetAll();
    this.#creations?.forgetAll();
  }

  /** Another replica decides: of a deleted pool, its ConfigMaps may still have to be deleted. */
  skipped(key: string): void {
    const ref = refOf(key);
    const { pools, deletedPools, configMaps } = this.#caches;
    if (pools.get(ref) !== undefined || configMaps.labelled(ref).length > 0) return;
    deletedPools.delete(key);
    this.#remembered.delete(key);
    this.#caches.forgetNoted(ref);
  }

  follow(key: string, decision: PoolDecision): void {
    this.#remembered.set(key, decision.remembered);
    this.#caches.readings.expect(key, decision);
    this.#workers.probe(key, decision.probes);
    this.#creations?.follow(key, decision.lacking);
  }

  facts({ version }: PoolDecision): object {
    return { version };
  }

  markOutdated(kind: Kind, ref: Ref): void {
    if (kind.kind === 'ConfigMap') this.#caches.configMaps.release(ref);
  }

  forget(key: string): void {
    const ref = refOf(key);
    const { pools, deletedPools, formerWorkers, memory, lists, configMaps, readings } =
      this.#caches;
    this.#workers.probe(key, []);
    this.#creations?.follow(key, []);
    deletedPools.delete(key);
    formerWorkers.forget(ref);
    memory.forget(ref);
    lists.forget(ref);
    readings.forgetPool(key);
    // A worker's first version must outlive a change of leader.
    const firstVersions = this.#remembered.get(key)?.firstVersions ?? new Map();
    if (pools.get(ref) !== undefined) {
      this.#remembered.set(key, { ...nothingRemembered, firstVersions });
      return;
    }
    this.#remembered.delete(key);
    this.#caches.forgetNoted(ref);
    this.#caches.release(ref.namespace ?? '', configMaps.labelled(ref));
  }
}
