// What is cached for pools?
import { keyOf, type Ref, refOf } from '../../api/objects.ts';
import type { Target } from '../../api/observed.ts';
import { isSelected, searchKeysOf } from '../../api/pool-targets.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import type { TurnScheduler } from '../../runtime/queue/turn-scheduler.ts';
import type { ConfigMaps } from '../../runtime/store/config-maps.ts';
import type { Store } from '../../runtime/store/store.ts';
import type { Workloads } from '../../runtime/store/workloads.ts';
import { AnnotatedPods, FormerWorkers } from './former-workers.ts';
import { NotedVersions } from './known-versions.ts';
import { PoolMemory } from './memory.ts';
import { configMapsOf, isWithheld, PoolStore, soughtBy, Targets } from './pools.ts';
import { Publications } from './publications.ts';
import { StreamLists } from './stream-lists.ts';
import type { Reader } from './texts/long-texts.ts';
import { Readings } from './texts/readings.ts';

type CacheOptions = {
  readonly api: Pick<KubeApi, 'get' | 'list'>;
  /** Caches shared by all kinds. */
  readonly store: Store;
  readonly scheduler: TurnScheduler;
  /** Reads long texts on another thread. Undefined: on this one. */
  readonly reader: Reader | undefined;
  /** Bytes for all pools together. */
  readonly memory: number;
  /** Memory for this pool became available or was taken away. */
  readonly wake: (key: string) => void;
  /** An assignment now names these pods, or no longer does. */
  readonly onNamed: (pods: readonly Ref[]) => void;
};

export class PoolCaches {
  readonly workloads: Workloads;
  readonly configMaps: ConfigMaps;
  readonly targets: Targets;
  readonly annotated = new AnnotatedPods();
  readonly noted: NotedVersions;
  readonly readings: Readings;
  readonly memory: PoolMemory;
  readonly pools: PoolStore;
  readonly publications: Publications;
  readonly lists: StreamLists;
  readonly formerWorkers: FormerWorkers;
  /** Only a process that saw the deletion can tell whether the definition was deleted, too. */
  readonly deletedPools = new Set<string>();

  constructor({ api, store, scheduler, reader, memory, wake, onNamed }: CacheOptions) {
    const { workloads, configMaps } = store;
    this.workloads = workloads;
    this.configMaps = configMaps;
    this.targets = new Targets(workloads);
    this.noted = new NotedVersions((ref) => {
      const pool = this.pools.get(ref);
      return pool && { uid: pool.meta.uid, statusVersion: pool.status?.version ?? 0 };
    });
    this.readings = new Readings(scheduler, reader);
    this.memory = new PoolMemory({
      configMaps,
      most: memory,
      onChange: wake,
      onSpec: (key) => {
        this.#withholdWhereNoRoom(refOf(key));
        wake(key);
      },
      sizeOf: (pool) => this.pools.sizeOf(pool),
    });
    this.pools = new PoolStore({
      api,
      scheduler,
      tryReserve: (pool, size) => this.memory.tryReserveSpec(pool, size),
    });
    this.publications = new Publications(configMaps, this.readings, scheduler);
    this.lists = new StreamLists(configMaps, this.readings);
    this.formerWorkers = new FormerWorkers({
      workloads,
      targets: this.targets,
      annotated: this.annotated,
      publications: this.publications,
      pools: this.pools,
      noted: this.noted,
      onNamed,
    });
  }

  /** The pools that mean this target. */
  poolsOf(target: Target): readonly SwarmPool[] {
    return searchKeysOf(target).flatMap((key) =>
      this.pools.by('sought', key).filter((pool) => isSelected(soughtBy(pool), target)),
    );
  }

  /** All pools that mean a target of this one, itself included. */
  rivalsOf(pool: SwarmPool): readonly SwarmPool[] {
    const { targets } = this;
    return targets
      .meantBy(pool)
      .flatMap((target) =>
        this.poolsOf(target).filter((other) => targets.meantBy(other).includes(target)),
      );
  }

  /** Frees texts that no pool refers to: they can be long. */
  release(namespace: string, names: readonly string[]): void {
    for (const name of names) {
      if (this.pools.by('configMap', keyOf({ namespace, name })).length > 0) continue;
      this.configMaps.release({ namespace, name });
      this.readings.forget({ namespace, name });
    }
  }

  /** A ConfigMap that is still there may yet be replaced by an older copy. */
  forgetNoted(pool: Ref): void {
    if (this.configMaps.labelled(pool).length === 0) this.noted.forget(pool);
  }

  /** Frees all that this pool alone needs, except the object itself. */
  withhold(pool: SwarmPool): SwarmPool {
    const { namespace } = pool.meta;
    for (const name of [...configMapsOf(pool), ...this.configMaps.labelled(pool.meta)]) {
      const configMap = { namespace, name };
      const readers = this.pools.by('configMap', keyOf(configMap));
      if (!readers.some(({ meta }) => this.memory.holds(meta))) this.configMaps.release(configMap);
    }
    return this.pools.withhold(pool);
  }

  /** At once, since a replica that does not lead decides nothing. */
  #withholdWhereNoRoom(ref: Ref): void {
    const pool = this.pools.get(ref);
    if (pool === undefined || isWithheld(pool)) return;
    if (!this.memory.tryReserveSpec(pool.meta, this.pools.sizeOf(pool))) this.pools.withhold(pool);
  }
}
