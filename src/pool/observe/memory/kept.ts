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
import { bytesOf, MemoryQuota } from './memory-quota.ts';

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

  /** Reserves memory for its spec, if there is enough. */
  tryReserve(pool: Ref, size: SpecSize): boolean {
    const bytes = bytesOf({ ...size, workers: 0 });
    const { namespace = '' } = pool;
    return this.#quota.refusal(namespace, `${keyOf(pool)}${SPEC}`, bytes) === undefined;
  }

  /** By the last estimate. Undefined: there is room. */
  excess(pool: SwarmPool, targets: readonly Target[]): string | undefined {
    return this.#excess(pool, targets, this.#estimateOf(pool));
  }

  /** Before the texts are parsed: each stream takes at least a mark or a line. */
  excessOfTexts(
    pool: SwarmPool,
    targets: readonly Target[],
    { marks, length }: Size,
    { shards }: Published,
  ): string | undefined {
    const characters = shards.reduce(
      (sum, { configMap, key }) => sum + (own(configMap.data, key)?.length ?? 0),
      length,
    );
    const streams = this.#estimateOf(pool)?.streams ?? marks + 1;
    return this.#excess(pool, targets, this.#note(pool, { streams, characters }));
  }

  /** Once they are parsed, the true number is usually lower. */
  parsed(pool: SwarmPool, targets: readonly Target[], lists: readonly NamedList[]): void {
    const streams = countIn(lists);
    const last = this.#estimateOf(pool);
    if (last === undefined || last.streams === streams) return;
    const { characters } = last;
    this.#excess(pool, targets, this.#note(pool, { streams, characters }));
  }

  #excess(
    pool: SwarmPool,
    targets: readonly Target[],
    read: Estimate = { streams: 0, characters: 0 },
  ): string | undefined {
    if (!pool.spec.ok) return undefined;
    const { namespace } = pool.meta;
    const spec = pool.spec.value;
    const ofSpec = this.#options.sizeOf(pool);
    const size = ({ replicas }: Target): number =>
      scalesTarget(spec, undefined) ? (mostWanted(spec) ?? replicas) : replicas;
    // Nothing is built beyond the bounds of a pool.
    const workers = Math.min(
      targets.reduce((sum, target) => sum + size(target), 0),
      MOST_WORKERS,
    );
    const streams = Math.min(read.streams, MOST_STREAMS);
    const ofRest = bytesOf({ streams, workers, characters: read.characters });
    if (!this.tryReserve(pool.meta, ofSpec))
      // What is not read takes no memory.
      this.#quota.drop(namespace, keyOf(pool.meta));
    else if (this.#quota.refusal(namespace, keyOf(pool.meta), ofRest) === undefined)
      return undefined;
    const bytes = bytesOf({ ...ofSpec, workers: 0 }) + ofRest;
    // No figure of other pools: each change of theirs would rewrite this status.
    return (
      `${ofSpec.streams + streams} streams and ${workers} workers take ${mib(bytes)} of the operator's memory; all pools together have ` +
      `${mib(this.#options.most)}, and namespace ${namespace} its part already: make fewer or smaller pools there, or give the operator more memory`
    );
  }

  #note(pool: SwarmPool, estimate: Estimate): Estimate {
    const versions = versionsOfLists(this.#options.configMaps, pool);
    this.#estimates.set(keyOf(pool.meta), { ...estimate, versions });
    return estimate;
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
    this.#quota.drop(namespace, `${keyOf(pool)}${SPEC}`);
  }
}

/** A spec is accounted for by itself. */
const SPEC = ' spec';

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
