// How much memory does a pool need, and may it have it? A namespace may take all that it needs, or
// an equal part when memory is short.
import { MOST_STREAMS, MOST_WORKERS, type Size } from '../../api/bounds.ts';
import { keyOf, own, type Ref, refOf } from '../../api/objects.ts';
import type { Target } from '../../api/observed.ts';
import type { SpecSize, SwarmPool } from '../../api/validate.ts';
import type { ConfigMaps } from '../../runtime/store/config-maps.ts';
import { countIn, type NamedList } from '../streams/streams.ts';
import { mostWanted, scalesTarget } from '../workers/size.ts';
import type { Published } from '../world.ts';
import { versionsOfLists } from './stream-lists.ts';

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
  exceededBy(pool: SwarmPool, targets: readonly Target[]): string {
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

/** The memory of a spec has an account of its own. */
const SPEC = ' spec';
const specKey = (pool: Ref): string => `${keyOf(pool)}${SPEC}`;

const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;

/** In a list, a slice and a status. Measured, as is the next one. */
const BYTES_A_STREAM = 500;
const BYTES_A_WORKER = 2_500;
/** The text as read and as published. */
const COPIES = 2;

type Holding = {
  readonly streams: number;
  readonly workers: number;
  readonly characters: number;
};

const bytesOf = ({ streams, workers, characters }: Holding): number =>
  streams * BYTES_A_STREAM + workers * BYTES_A_WORKER + characters * COPIES;

type MemoryQuotaOptions = {
  /** Bytes for all together. */
  readonly most: number;
  /** Memory for this key became available or was taken away. */
  readonly onChange: (key: string) => void;
};

type Account = {
  /** In order of arrival: the first keep their memory. */
  readonly held: Map<string, number>;
  readonly refused: Set<string>;
  total: number;
};

/**
 * Guarantees: the total stays below `most` once every recalled key has asked again; a namespace
 * that keeps no more than an equal part is refused nothing.
 */
export class MemoryQuota {
  readonly #options: MemoryQuotaOptions;
  readonly #accounts = new Map<string, Account>();
  #total = 0;

  constructor(options: MemoryQuotaOptions) {
    this.#options = options;
  }

  /** `holds` says whether it was granted. */
  reserve(namespace: string, key: string, bytes: number): void {
    const account = this.#accounts.get(namespace) ?? {
      held: new Map<string, number>(),
      refused: new Set<string>(),
      total: 0,
    };
    this.#accounts.set(namespace, account);
    const total = this.#total;
    account.refused.delete(key);
    this.#keep(account, key, bytes);
    const level = this.#level();
    if (this.#before(account, key) + bytes > level) {
      this.#remove(account, key);
      account.refused.add(key);
    } else if (this.#total > this.#options.most) this.#tellThoseBeyond(level);
    if (this.#total < total) this.#tellRefused(key);
  }

  holds(namespace: string, key: string): boolean {
    return this.#accounts.get(namespace)?.held.has(key) ?? false;
  }

  /** Keys that have asked, whether memory was granted or not. */
  keys(): readonly string[] {
    return [...this.#accounts.values()].flatMap(({ held, refused }) => [
      ...held.keys(),
      ...refused,
    ]);
  }

  drop(namespace: string, key: string): void {
    const account = this.#accounts.get(namespace);
    if (account === undefined) return;
    const total = this.#total;
    this.#remove(account, key);
    account.refused.delete(key);
    if (account.held.size + account.refused.size === 0) this.#accounts.delete(namespace);
    if (this.#total < total) this.#tellRefused(key);
  }

  #tellRefused(besides: string): void {
    const others = [...this.#accounts.values()]
      .flatMap(({ refused }) => [...refused])
      .filter((key) => key !== besides);
    for (const key of others) this.#options.onChange(key);
  }

  #keep(account: Account, key: string, bytes: number): void {
    const more = bytes - (account.held.get(key) ?? 0);
    account.held.set(key, bytes);
    account.total += more;
    this.#total += more;
  }

  #remove(account: Account, key: string): void {
    const bytes = account.held.get(key) ?? 0;
    account.held.delete(key);
    account.total -= bytes;
    this.#total -= bytes;
  }

  #before({ held }: Account, key: string): number {
    let sum = 0;
    for (const [other, bytes] of held) {
      if (other === key) break;
      sum += bytes;
    }
    return sum;
  }

  /**
   * What each may keep when those that need less leave the rest; unbounded while there is enough.
   */
  #level(): number {
    if (this.#total <= this.#options.most) return Number.POSITIVE_INFINITY;
    const totals = [...this.#accounts.values()].map(({ total }) => total).sort((a, b) => a - b);
    let left = this.#options.most;
    for (const [index, total] of totals.entries()) {
      const part = left / (totals.length - index);
      if (total > part) return part;
      left -= total;
    }
    return Number.POSITIVE_INFINITY;
  }

  #tellThoseBeyond(level: number): void {
    const beyond: string[] = [];
    for (const { held, total } of this.#accounts.values()) {
      if (total <= level) continue;
      let sum = 0;
      for (const [key, bytes] of held) {
        sum += bytes;
        if (sum > level) beyond.push(key);
      }
    }
    for (const key of beyond) this.#options.onChange(key);
  }
}
