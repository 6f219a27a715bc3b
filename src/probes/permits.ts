// May a pool have one more probe under way? A pool holds at most a quarter of the permits, and a
// namespace at most half.
import { namespaceOf, type Open } from './fair-queue.ts';
import type { Rank } from './scheduler.ts';

/** A probe with a longer answer takes several permits: this bounds the memory of all answers. */
const BYTES_PER_PERMIT = 256 * 1024;

type ProbePermit = { readonly key: string; readonly isFailing: boolean; readonly permits: number };
type Held = { permits: number; failing: number; probes: number };

/**
 * Of each share, workers that were slow or failed last time hold at most half: workers that answer
 * at once never wait for them.
 */
export class ProbePermits {
  readonly #most: number;
  readonly #all: Held = { permits: 0, failing: 0, probes: 0 };
  readonly #byNamespace = new Map<string, Held>();
  readonly #byPool = new Map<string, Held>();

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#all.permits >= this.#most;
  }

  open(rank: Rank): Open {
    const isFailing = rank === 'failing';
    if (!hasRoom(this.#all, this.#most, isFailing))
      return { isNamespace: () => false, isPool: () => false };
    return {
      // Two at least, so that of two pools in a namespace neither waits for the other.
      isNamespace: (namespace) =>
        hasRoom(this.#byNamespace.get(namespace), Math.max(2, this.#most / 2), isFailing),
      isPool: (key) => hasRoom(this.#byPool.get(key), this.#most / 4, isFailing),
    };
  }

  /** How many probes of a pool are under way. */
  probesOf(key: string): number {
    return this.#byPool.get(key)?.probes ?? 0;
  }

  acquire(key: string, isFailing: boolean, mostBytes: number): ProbePermit {
    const permits = Math.min(Math.ceil(mostBytes / BYTES_PER_PERMIT), Math.floor(this.#most / 4));
    const permit = { key, isFailing, permits: Math.max(1, permits) };
    this.#count(permit, 1);
    return permit;
  }

  release(permit: ProbePermit): void {
    this.#count(permit, -1);
  }

  #count({ key, isFailing, permits }: ProbePermit, by: 1 | -1): void {
    const count = (held: Held): void => {
      held.permits += by * permits;
      held.failing += isFailing ? by * permits : 0;
      held.probes += by;
    };
    const countIn = (all: Map<string, Held>, name: string): void => {
      const held = all.get(name) ?? { permits: 0, failing: 0, probes: 0 };
      count(held);
      if (held.probes === 0) all.delete(name);
      else all.set(name, held);
    };
    count(this.#all);
    countIn(this.#byNamespace, namespaceOf(key));
    countIn(this.#byPool, key);
  }
}

/** Each pool and namespace may always have one probe under way. */
function hasRoom(held: Held | undefined, most: number, isFailing: boolean): boolean {
  const { permits, failing } = held ?? { permits: 0, failing: 0 };
  return (
    permits < Math.max(1, Math.floor(most)) &&
    (!isFailing || failing < Math.max(1, Math.floor(most / 2)))
  );
}
