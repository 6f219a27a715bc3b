// How much memory does a pool need, and may it have it?
import { MOST_STREAMS, MOST_WORKERS, type Size } from '../../../api/bounds.ts';
import { keyOf, own, type Ref, refOf } from '../../../api/objects.ts';
import type { Target } from '../../../api/observed.ts';
import type { SpecSize, SwarmPool } from '../../../api/validate.ts';
import type { ConfigMaps } from '../../../runtime/store/config-maps.ts';
import { countIn } from '../../streams.ts';
import { mostWanted, scalesTarget } from '../../workers/size.ts';
import type { NamedList, Published } from '../../world.ts';
import { versionsOfLists } from '../publications.ts';
import { bytesOf, type Holding, MemoryQuota } from './memory-quota.ts';

/** What is read for a pool: its lists and publications. */
type Estimate = { readonly streams: number; readonly characters: number };

const MIB = 1024 * 1024;

type PoolMemoryOptions = {
  readonly configMaps: Pick<ConfigMaps, 'versionOf'>;
  /** Bytes for all pools together. */
  readonly most: number;
  /** Memory for what is read for this pool became available or was taken away. */
  readonly onChange: (key: string) => void;
  /** The same for its spec. */
  readonly onSpec: (key: string) => void;
  readonly sizeOf: (pool: SwarmPool) => SpecSize;
};

export class PoolMemory {
  readonly #options: PoolMemoryOptions;
  readonly #quota: MemoryQuota;
  /** By pool: the last estimate, and the versions of the lists that it is of. */
  readonly #estimates = new Map<string, Estimate & { readonly versions: string }>();

  constructor(options: PoolMemoryOptions) {
    this.#options = options;
    const { most, onChange, onSpec } = options;
    this.#quota = new MemoryQuota({
      most,
      onChange: (key) => (key.endsWith(SPEC) ? onSpec(key.slice(0, -SPEC.length)) : onChange(key)),
    });
  }

  /** For its spec. */
  tryReserveSpec(pool: Ref, size: SpecSize): boolean {
    const { namespace = '' } = pool;
    this.#quota.reserve(namespace, specKey(pool), bytesOf({ ...size, workers: 0 }));
    return this.#quota.holds(namespace, specKey(pool));
  }

  /** By the last estimate. */
  tryReserve(pool: SwarmPool, targets: readonly Target[]): boolean {
    if (!pool.spec.ok) return true;
    const { meta } = pool;
    const key = keyOf(meta);
    if (this.tryReserveSpec(meta, this.#options.sizeOf(pool)))
      this.#quota.reserve(meta.namespace, key, bytesOf(this.#restOf(pool, targets)));
    // What is not read takes no memory.
    else this.#quota.drop(meta.namespace, key);
    return this.holds(meta);
  }

  /** Before the texts are parsed: each stream takes at least a mark or a line. */
  tryReserveTexts(
    pool: SwarmPool,
    targets: readonly Target[],
    { marks, length }: Size,
    { shards }: Published,
  ): boolean {
    const characters = shards.reduce(
      (sum, { configMap, key }) => sum + (own(configMap.data, key)?.length ?? 0),
      length,
    );
    const streams = this.#estimateOf(pool)?.streams ?? marks + 1;
    this.#note(pool, { streams, characters });
    return this.tryReserve(pool, targets);
  }

  /** Once they are parsed, the true number is usually lower. */
  correct(pool: SwarmPool, targets: readonly Target[], lists: readonly NamedList[]): void {
    const streams = countIn(lists);
    const last = this.#estimateOf(pool);
    if (last === undefined || last.streams === streams) return;
    const { characters } = last;
    this.#note(pool, { streams, characters });
    this.tryReserve(pool, targets);
  }

  /** What a pool without memory needs, by the last estimate. */
  excessOf(pool: SwarmPool, targets: readonly Target[]): string {
    const { namespace } = pool.meta;
    const ofSpec = this.#options.sizeOf(pool);
    const { streams, workers, characters } = this.#restOf(pool, targets);
    const bytes = bytesOf({ ...ofSpec, workers: 0 }) + bytesOf({ streams, workers, characters });
    // No figure of other pools: each change of theirs would rewrite this status.
    return (
      `${ofSpec.streams + streams} streams and ${workers} workers need ${mib(bytes)} of the operator's memory; all pools together have ` +
      `${mib(this.#options.most)}, and namespace ${namespace} already uses its part: use fewer or smaller pools there, or give the operator more memory`
    );
  }

  /** Besides its spec. Nothing is built beyond the bounds of a pool. */
  #restOf(pool: SwarmPool, targets: readonly Target[]): Holding {
    const { streams, characters } = this.#estimateOf(pool) ?? { streams: 0, characters: 0 };
    const size = ({ replicas }: Target): number =>
      pool.spec.ok && scalesTarget(pool.spec.value, undefined)
        ? (mostWanted(pool.spec.value) ?? replicas)
        : replicas;
    const workers = targets.reduce((sum, target) => sum + size(target), 0);
    return {
      streams: Math.min(streams, MOST_STREAMS),
      workers: Math.min(workers, MOST_WORKERS),
      characters,
    };
  }

  #note(pool: SwarmPool, estimate: Estimate): void {
    const versions = versionsOfLists(this.#options.configMaps, pool);
    this.#estimates.set(keyOf(pool.meta), { ...estimate, versions });
  }

  #estimateOf(pool: SwarmPool): Estimate | undefined {
    const last = this.#estimates.get(keyOf(pool.meta));
    return last?.versions === versionsOfLists(this.#options.configMaps, pool) ? last : undefined;
  }

  holds(pool: Ref): boolean {
    return this.#quota.holds(pool.namespace ?? '', keyOf(pool));
  }

  /** The others were in a list that failed, and are not in the next. */
  keepOnly(isThere: (pool: Ref) => boolean): void {
    for (const key of this.#quota.keys()) {
      const pool = refOf(key.endsWith(SPEC) ? key.slice(0, -SPEC.length) : key);
      if (!isThere(pool)) this.forget(pool);
    }
  }

  forget(pool: Ref): void {
    const { namespace = '' } = pool;
    this.#estimates.delete(keyOf(pool));
    this.#quota.drop(namespace, keyOf(pool));
    this.#quota.drop(namespace, specKey(pool));
  }
}

/** A spec is accounted for by itself. */
const SPEC = ' spec';
const specKey = (pool: Ref): string => `${keyOf(pool)}${SPEC}`;

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
