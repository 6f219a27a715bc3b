// Which key is handled next? Each key waits at most once, is handled by one at a time, and after a
// failure with a growing delay.
import TinyQueue from 'tinyqueue';
import Queue from 'yocto-queue';
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
   * Keys of one group, such as a namespace, leave a part of the concurrency to other groups. Left
   * out: one group for all keys.
   */
  readonly groupOf?: (key: string) => string;
  readonly observer?: QueueObserver | undefined;
};

export type QueueObserver = {
  /** A key is handled, this long after it was due. */
  waited(ms: number): void;
  retried(): void;
};

/** `arrival`: how many keys had been added then. */
type Waiting = { readonly key: string; readonly since: number; readonly arrival: number };

type Group = {
  readonly name: string;
  readonly line: Queue<Waiting>;
  /** Keys of it that are being handled. */
  held: number;
};

export type QueueFigures = {
  readonly waiting: number;
  readonly processing: number;
  readonly delayed: number;
};

/**
 * Guarantees: a key that is added while it is handled is handled once more afterwards, never twice
 * at a time; a delayed key that is added is handled at once, unless it rests; of two delays the
 * shorter counts. A group takes half of the free concurrency, so that other groups are served
 * however many keys it has and however slow they are.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #waiting = new Set<string>();
  /** Those with a key that waits or is being handled. */
  readonly #groups = new Map<string, Group>();
  /** Groups with a key that waits and none that is being handled, by their first key. */
  #idle = byArrival();
  /** Groups with a key that is being handled: at most `concurrency`. */
  readonly #busy = new Set<Group>();
  /** How many keys have been added so far. */
  #came = 0;
  #startedAt = 0;
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
    this.#startedAt = this.#options.clock.monotonic();
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
    const all = [this.#delayed, this.#waiting, this.#again, this.#failures, this.#restsUntil];
    for (const keys of all) keys.clear();
    this.#idle = byArrival();
    for (const { name, line, held } of this.#groups.values()) {
      line.clear();
      if (held === 0) this.#groups.delete(name);
    }
  }

  #next(): void {
    while (this.#isRunning && this.#processing.size < this.#options.concurrency) {
      const group = this.#nextGroup();
      const waiting = group?.line.peek();
      if (group === undefined || waiting === undefined) return;
      const { key, since } = waiting;
      // The time while another replica led is no waiting time.
      const dueAt = Math.max(since, this.#startedAt);
      this.#options.observer?.waited(this.#options.clock.monotonic() - dueAt);
      this.#dequeue(group);
      this.#waiting.delete(key);
      this.#processing.set(key, this.#process(key, group));
    }
  }

  /** Of the groups that may have one more handled, the one whose first key waits longest. */
  #nextGroup(): Group | undefined {
    const free =
      this.#options.groupOf === undefined
        ? Number.POSITIVE_INFINITY
        : this.#options.concurrency - this.#processing.size;
    let first = this.#idle.peek();
    for (const group of this.#busy)
      if (group.held < free && arrivalOf(group) < arrivalOf(first)) first = group;
    return first;
  }

  #openGroup(key: string): Group {
    const name = this.#options.groupOf?.(key) ?? '';
    const group = this.#groups.get(name) ?? { name, line: new Queue<Waiting>(), held: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #enqueue(key: string, since: number): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.add(key);
    this.#came += 1;
    const group = this.#openGroup(key);
    group.line.enqueue({ key, since, arrival: this.#came });
    if (group.held === 0 && group.line.size === 1) this.#idle.push(group);
  }

  #dequeue(group: Group): void {
    // Before its first key, and so its rank, is another.
    if (group.held === 0) this.#idle.pop();
    group.line.dequeue();
    group.held += 1;
    this.#busy.add(group);
  }

  #release(group: Group): void {
    group.held -= 1;
    if (group.held > 0) return;
    this.#busy.delete(group);
    if (group.line.size > 0) this.#idle.push(group);
    else this.#groups.delete(group.name);
  }

  async #process(key: string, group: Group): Promise<void> {
    // Put the promise into the map before the handler can end.
    await Promise.resolve();
    try {
      await this.#options.handle(key);
    } catch {
      this.retry(key);
    }
    this.#processing.delete(key);
    this.#release(group);
    const since = this.#again.get(key);
    this.#again.delete(key);
    if (since !== undefined) this.#add(key, since);
    // Also when this key rests: another one may be handled.
    this.#next();
  }
}

/** Of its first key. */
const arrivalOf = (group: Group | undefined): number =>
  group?.line.peek()?.arrival ?? Number.POSITIVE_INFINITY;

const byArrival = (): TinyQueue<Group> => new TinyQueue([], (a, b) => arrivalOf(a) - arrivalOf(b));
