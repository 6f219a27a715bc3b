// Which work runs next on the one thread? Groups (namespaces) and the event loop take turns, piece
// by piece.
import type { Clock } from '../clock.ts';
import { Budgets } from './budgets.ts';
import { Lane } from './lane.ts';

/**
 * How long one piece may keep others waiting: other groups, watch events, probes, the Lease.
 */
const PIECE_MS = 10;

/**
 * In one round, the event loop accepts one new connection of each port: the kubelet's probes would
 * wait behind hundreds of others.
 */
const ROUNDS = 16;

/** Of all groups together: each long work keeps its intermediate results in memory. */
const MOST_UNDER_WAY = 2;

/** The work is no longer wanted. Nothing of it was carried out. */
export class Abandoned extends Error {
  constructor() {
    super('the work is not wanted any more');
  }
}

type ThreadOptions = {
  readonly clock: Clock;
  /** Calls back when the event loop has handled everything that was waiting. */
  readonly soon?: (run: () => void) => void;
};

type Piece<T> = { readonly last: IteratorResult<void, T>; readonly pieceMs: number };

type Waiter = { readonly go: () => void; readonly abandon: (error: Error) => void };

/** Prefix of a group for its work under way; no group's name begins with it. */
const UNDER_WAY = ' ';

/**
 * Guarantees: a group waits for at most two pieces of each other group, one of new work and one of
 * work under way, however much work these have. A group pays for a long piece that could not be
 * divided: until then it begins nothing (budgets.ts). Of works with more than one piece, one of a
 * group is under way, and two in all; the others wait after their first piece (lane.ts). Work under
 * way pays when it has ended, since others wait for that.
 */
export class Thread {
  readonly #clock: Clock;
  readonly #soon: (run: () => void) => void;
  readonly #budgets: Budgets;
  readonly #lane = new Lane(MOST_UNDER_WAY);
  /** Queues of groups, and of their work under way, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** Since the event loop last ran. */
  #usedMs = 0;
  #isGoingRound = false;
  /** A waiter was let go and has not run yet. */
  #isHeld = false;
  /** Counts calls of `abandon`. */
  #term = 0;
  #cancelPatience: () => void = () => undefined;

  constructor({ clock, soon = afterRounds }: ThreadOptions) {
    this.#clock = clock;
    this.#soon = soon;
    this.#budgets = new Budgets(clock);
  }

  /** Runs work to its end, or until it is abandoned. `workedMs` leaves out the waiting. */
  async run<T>(
    group: string,
    work: Iterator<void, T, void>,
  ): Promise<{ readonly value: T; readonly workedMs: number }> {
    const term = this.#term;
    const goOn = (line: string): Promise<Piece<T>> =>
      this.#inTurn(line, group, () => {
        if (term !== this.#term) throw new Abandoned();
        return this.#pieceOf(work);
      });
    let { last, pieceMs: workedMs } = await goOn(group);
    if (last.done === true) return { value: last.value, workedMs };
    await this.#lane.enter(group);
    try {
      for (;;) {
        const next = await goOn(UNDER_WAY + group);
        workedMs += next.pieceMs;
        ({ last } = next);
        if (last.done === true) return { value: last.value, workedMs };
      }
    } finally {
      this.#lane.leave(group);
    }
  }

  /** Runs a piece that cannot be divided, when it is its turn. */
  piece<T>(group: string, work: () => T): Promise<T> {
    return this.#inTurn(group, group, work);
  }

  async #inTurn<T>(line: string, group: string, work: () => T): Promise<T> {
    await this.#turn(line);
    try {
      return this.now(group, work);
    } finally {
      this.#isHeld = false;
      this.#goOn();
    }
  }

  /** Work on another thread: it blocks no other group here, but is charged to its own group. */
  async elsewhere<T>(
    group: string,
    work: () => Promise<{ readonly value: T; readonly workedMs: number }>,
  ): Promise<T> {
    for (;;) {
      await this.piece(group, () => undefined);
      await this.#lane.enter(group);
      // Another work of its group ran meanwhile: other groups have the lane until it is paid for.
      if (this.#budgets.waitMs(group) === 0) break;
      this.#lane.leave(group);
    }
    try {
      const { value, workedMs } = await work();
      this.#budgets.charge(group, workedMs - 2 * PIECE_MS);
      return value;
    } finally {
      this.#lane.leave(group);
    }
  }

  /** Work that cannot wait for its turn; its group pays for it. */
  now<T>(group: string, work: () => T): T {
    const started = this.#clock.monotonic();
    try {
      return work();
    } finally {
      const workedMs = this.#clock.monotonic() - started;
      this.#budgets.charge(group, workedMs - 2 * PIECE_MS);
      this.#usedMs += workedMs;
      if (workedMs > 0) this.#goRound();
    }
  }

  /** Rejects all waiting work. */
  abandon(): void {
    this.#term += 1;
    this.#cancelPatience();
    const waiters = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { abandon } of waiters) abandon(new Abandoned());
    this.#lane.abandon(new Abandoned());
  }

  #pieceOf<T>(work: Iterator<void, T, void>): Piece<T> {
    const started = this.#clock.monotonic();
    for (;;) {
      const last = work.next();
      const pieceMs = this.#clock.monotonic() - started;
      if (last.done === true || pieceMs >= PIECE_MS) return { last, pieceMs };
    }
  }

  #turn(line: string): Promise<void> {
    if (this.#isFree && this.#waiting.size === 0 && this.#waitMs(line) === 0) {
      this.#isHeld = true;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(line) ?? [];
    waiters.push({ go: resolve, abandon: reject });
    this.#waiting.set(line, waiters);
    this.#goOn();
    return promise;
  }

  #waitMs(line: string): number {
    return line.startsWith(UNDER_WAY) ? 0 : this.#budgets.waitMs(line);
  }

  get #isFree(): boolean {
    return !this.#isHeld && this.#usedMs < PIECE_MS;
  }

  /** One callback of the event loop serves all waiters. */
  #goRound(): void {
    if (this.#isGoingRound) return;
    this.#isGoingRound = true;
    this.#soon(() => {
      this.#isGoingRound = false;
      this.#usedMs = 0;
      this.#goOn();
    });
  }

  /** Takes the next waiter of the queue whose turn it is, and moves that queue to the end. */
  #goOn(): void {
    this.#cancelPatience();
    if (!this.#isFree) return;
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const [line, waiters] of this.#waiting) {
      const waitMs = this.#waitMs(line);
      soonestMs = Math.min(soonestMs, waitMs);
      if (waitMs > 0) continue;
      this.#waiting.delete(line);
      const waiter = waiters.shift();
      if (waiters.length > 0) this.#waiting.set(line, waiters);
      this.#isHeld = true;
      waiter?.go();
      return;
    }
    if (soonestMs < Number.POSITIVE_INFINITY)
      this.#cancelPatience = this.#clock.after(soonestMs, () => this.#goOn());
  }
}

function afterRounds(run: () => void): void {
  let left = ROUNDS;
  const round = (): void => {
    left -= 1;
    if (left > 0) setImmediate(round);
    else run();
  };
  setImmediate(round);
}
