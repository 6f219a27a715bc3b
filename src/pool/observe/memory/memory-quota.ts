// How much memory may each namespace take? All it needs, or an equal part when memory is short.

/** In a list, a slice and a status. Measured, as is the next one. */
const BYTES_A_STREAM = 500;
const BYTES_A_WORKER = 2_500;
/** The text as read and as published. */
const COPIES = 2;

export type Holding = {
  readonly streams: number;
  readonly workers: number;
  readonly characters: number;
};

export const bytesOf = ({ streams, workers, characters }: Holding): number =>
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

  /** Whether it was granted, `holds` says. */
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

  /** That have asked, whether it was granted or not. */
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
