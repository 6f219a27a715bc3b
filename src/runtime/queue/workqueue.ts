// Which key is handled next? Each key waits at most once, is handled by one at a time, and after a
// failure with a growing delay.
import type { Clock } from '../clock.ts';

const FIRST_BACKOFF_MS = 20;
/** After a fault has ended, its keys must be right well within half a minute. */
const LONGEST_BACKOFF_MS = 10_000;

type QueueOptions = {
  readonly clock: Clock;
  readonly concurrency: number;
  /**
   * Calls `retry` or `addAfter` on a failure; throwing counts as `retry`.
   */
  readonly handle: (key: string) => Promise<void>;
  /**
   * Keys of one group, such as a namespace, leave places to other groups. Left out: one group for
   * all keys.
   */
  readonly groupOf?: (key: string) => string;
  readonly observer?: QueueObserver | undefined;
};

export type QueueObserver = {
  /** A key is handled, this long after it was due. */
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
 * Guarantees: a key that is added while it is handled is handled once more afterwards, never twice
 * at a time; a delayed key that is added is handled at once, unless it rests; of two delays the
 * shorter counts. A group takes half of the free places, so that other groups are served however
 * many keys it has and however slow they are.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<string>();
  /** By group, in order of arrival. */
  readonly #lines = new Map<string, Waiting[]>();
  /** How many keys have been added so far. */
  #came = 0;
  /** Keys that are being handled, by group. */
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
   * Handles the key again after `ms` at the earliest: an expensive key lets others go first, while
   * its changes gather.
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

  /** After a failure: with a delay that doubles each time, or the server's Retry-After. */
  retry(key: string, askedMs?: number): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#options.observer?.retried();
    this.addAfter(
      key,
      askedMs ?? Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS),
    );
  }

  /** After a success: the next failure begins with the shortest delay. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** The key is gone. */
  drop(key: string): void {
    this.forget(key);
    this.#restsUntil.delete(key);
  }

  start(): void {
    this.#isRunning = true;
    // The time while another replica led is no waiting time.
    const since = this.#options.clock.monotonic();
    for (const [group, line] of this.#lines)
      this.#lines.set(
        group,
        line.map((waiting) => ({ ...waiting, since })),
      );
    this.#next();
  }

  /**
   * Handles no new key; resolves when the current ones are done. Waiting keys stay for a later
   * start.
   */
  async pause(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#processing.values());
  }

  /** Keys that are being handled set no new timers. */
  async stop(): Promise<void> {
    this.#isEnded = true;
    this.clear();
    await this.pause();
  }

  /** Nothing waits any more, and no failure counts. */
  clear(): void {
    for (const { cancel } of this.#delayed.values()) cancel();
    const all = [this.#delayed, this.#waiting, this.#lines, this.#again];
    for (const keys of [...all, this.#failures, this.#restsUntil]) keys.clear();
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

  /** Of the groups that may take a place, the one whose first key waits longest. */
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
    // Put the promise into the map before the handler can end.
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
    // Also when this key rests: its place is free.
    this.#next();
  }
}

/** Empty queues are not kept, so there is a first key. */
function firstOf([first]: readonly Waiting[]): Waiting {
  if (first === undefined) throw new Error('nobody stands in this line');
  return first;
}
