// What is to be looked at next? Keys, each at most once, each by one hand at a time, failed ones
// later and later.
import type { Clock } from '../clock.ts';

const FIRST_BACKOFF_MS = 20;
/** Faults end; what failed meanwhile must be right again well within half a minute. */
const LONGEST_BACKOFF_MS = 10_000;

export type QueueOptions = {
  readonly clock: Clock;
  readonly concurrency: number;
  /**
   * What went wrong it says by calling `retry` or `addAfter`; if it throws, that counts as `retry`.
   */
  readonly handle: (key: string) => Promise<void>;
  /**
   * Keys of one group, such as a namespace, leave places to others. Left out: all are of one, which
   * has all places.
   */
  readonly groupOf?: (key: string) => string;
  readonly observer?: QueueObserver | undefined;
};

export type QueueObserver = {
  /** A key is taken up, so long after it was due. */
  waited(ms: number): void;
  retried(): void;
};

type Waiting = { readonly key: string; readonly since: number; readonly place: number };

export type QueueFigures = {
  readonly waiting: number;
  readonly processing: number;
  readonly delayed: number;
};

/**
 * Guarantees: a key that changes while it is being handled is handled once more afterwards; never
 * twice at a time; a delayed key that changes meanwhile is handled at once, unless it rests; of two
 * delays the sooner counts. A group takes half of the places that others do not hold: however many
 * keys it has, and however slow they are, those of others are taken up.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<string>();
  /** By group, in the order in which they came. */
  readonly #lines = new Map<string, Waiting[]>();
  /** How many have come so far. */
  #came = 0;
  /** How many of each group are being handled. */
  readonly #held = new Map<string, number>();
  readonly #processing = new Map<string, Promise<void>>();
  readonly #again = new Map<string, number>();
  readonly #delayed = new Map<string, { readonly dueAt: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  readonly #restsUntil = new Map<string, number>();
  #isRunning = false;
  #isEnded = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get figures(): QueueFigures {
    return {
      waiting: this.#waiting.size + this.#again.size,
      processing: this.#processing.size,
      delayed: this.#delayed.size,
    };
  }

  add(key: string): void {
    this.#add(key, this.#options.clock.monotonic());
  }

  #add(key: string, since: number): void {
    if (this.#isEnded) return;
    if (this.#processing.has(key)) {
      this.#forgetDelay(key);
      if (!this.#again.has(key)) this.#again.set(key, since);
      return;
    }
    const rest = (this.#restsUntil.get(key) ?? 0) - this.#options.clock.monotonic();
    if (rest > 0) {
      this.addAfter(key, rest);
      return;
    }
    this.#restsUntil.delete(key);
    this.#forgetDelay(key);
    this.#enqueue(key, since);
    this.#next();
  }

  /**
   * What is costly to handle is not handled again at once: meanwhile changes gather, and others
   * have their turn.
   */
  rest(key: string, ms: number): void {
    this.#restsUntil.set(key, this.#options.clock.monotonic() + ms);
  }

  #forgetDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }

  addAfter(key: string, ms: number): void {
    if (this.#isEnded) return;
    const { clock } = this.#options;
    const dueAt = clock.monotonic() + ms;
    const present = this.#delayed.get(key);
    if (present !== undefined && present.dueAt <= dueAt) return;
    present?.cancel();
    const due = (): void => {
      this.#delayed.delete(key);
      this.add(key);
    };
    this.#delayed.set(key, { dueAt, cancel: clock.after(ms, due) });
  }

  /** After a failure: with a delay that doubles each time, or the one that the server asked for. */
  retry(key: string, askedMs?: number): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.observer?.retried();
    this.addAfter(
      key,
      askedMs ?? Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS),
    );
  }

  /** After a success: the next failure starts with the shortest delay again. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Nothing of it is left to remember. */
  drop(key: string): void {
    this.forget(key);
    this.#restsUntil.delete(key);
  }

  start(): void {
    this.#isRunning = true;
    // While another replica led, nothing waited for its turn.
    const since = this.#options.clock.monotonic();
    for (const [group, line] of this.#lines)
      this.#lines.set(
        group,
        line.map((waiting) => ({ ...waiting, since })),
      );
    this.#next();
  }

  /**
   * Takes up nothing more; resolves when what is in hand is done. What waits stays for a later
   * start.
   */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#processing.values());
  }

  /** For good: timers end too, and what is still in hand sets no new ones. */
  async stop(): Promise<void> {
    this.#isEnded = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#lines.clear();
    this.#again.clear();
    await this.pause();
  }

  #next(): void {
    while (this.#isRunning && this.#processing.size < this.#options.concurrency) {
      const group = this.#nextGroup();
      if (group === undefined) return;
      const { key, since } = this.#dequeue(group);
      this.#options.observer?.waited(this.#options.clock.monotonic() - since);
      this.#held.set(group, (this.#held.get(group) ?? 0) + 1);
      this.#processing.set(key, this.#process(key, group));
    }
  }

  /** The group whose first key came first, among those that leave places enough to others. */
  #nextGroup(): string | undefined {
    const free =
      this.#options.groupOf === undefined
        ? Number.POSITIVE_INFINITY
        : this.#options.concurrency - this.#processing.size;
    let first: { readonly group: string; readonly place: number } | undefined;
    for (const [group, line] of this.#lines) {
      if ((this.#held.get(group) ?? 0) >= free) continue;
      const { place } = firstOf(line);
      if (first === undefined || place < first.place) first = { group, place };
    }
    return first?.group;
  }

  #groupOf(key: string): string {
    return this.#options.groupOf?.(key) ?? '';
  }

  #enqueue(key: string, since: number): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#came += 1;
    const group = this.#groupOf(key);
    const line = this.#lines.get(group) ?? [];
    line.push({ key, since, place: this.#came });
    this.#lines.set(group, line);
  }

  #dequeue(group: string): Waiting {
    const line = this.#lines.get(group) ?? [];
    const first = firstOf(line);
    line.shift();
    if (line.length === 0) this.#lines.delete(group);
    this.#waiting.delete(first.key);
    return first;
  }

  async #process(key: string, group: string): Promise<void> {
    // The promise must stand in the map before the handler can end.
    await Promise.resolve();
    try {
      await this.#options.handle(key);
    } catch {
      this.retry(key);
    }
    this.#processing.delete(key);
    const held = (this.#held.get(group) ?? 1) - 1;
    if (held === 0) this.#held.delete(group);
    else this.#held.set(group, held);
    const since = this.#again.get(key);
    this.#again.delete(key);
    if (since !== undefined) this.#add(key, since);
    // Also when this one rests: its place is free.
    this.#next();
  }
}

/** There is one: a line of nobody is not kept. */
function firstOf([first]: readonly Waiting[]): Waiting {
  if (first === undefined) throw new Error('nobody stands in this line');
  return first;
}
