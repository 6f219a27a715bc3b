// Which work goes on next on the one thread? Piece by piece, in turns between groups, such as
// namespaces, and the event loop.

import type { Clock } from '../clock.ts';
import { Budgets } from './budgets.ts';
import { Lane } from './lane.ts';

/**
 * So long others wait for a piece of work, and for what else has happened meanwhile: answers, watch
 * events, probes, the Lease.
 */
const PIECE_MS = 10;

/**
 * In a round, the event loop takes one new connection of each port: probes would wait behind
 * hundreds of others.
 */
const ROUNDS = 16;

/** Work was abandoned because it is not wanted any more. Nothing of it was carried out. */
export class Abandoned extends Error {
  constructor() {
    super('the work is not wanted any more');
  }
}

export type ThreadOptions = {
  readonly clock: Clock;
  /** Calls back when the event loop has dealt with what was waiting. */
  readonly soon?: (run: () => void) => void;
};

type Piece<T> = { readonly last: IteratorResult<void, T>; readonly pieceMs: number };

type Waiter = { readonly go: () => void; readonly abandon: (error: Error) => void };

/** Before the group of a work that is under way; no group is called so. */
const UNDER_WAY = ' ';

/**
 * Guarantees: a group whose work waits is let go on after two pieces of each other group at most,
 * one of what it begins and one of what it goes on with, however many works these have. A piece
 * that could not be cut and was long is paid for: until then its group begins nothing (budgets.ts).
 * Of works that take more than a piece, one of a group is under way, and two of all: the others
 * wait after their first piece (lane.ts). What is under way pays later: others wait for it to end.
 */
export class Thread {
  readonly #clock: Clock;
  readonly #soon: (run: () => void) => void;
  readonly #budgets: Budgets;
  readonly #lane = new Lane();
  /** Lines of groups, and of what is under way of them, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** Since the event loop came round last. */
  #usedMs = 0;
  #isGoingRound = false;
  /** Somebody has the turn, and is about to use it. */
  #isHeld = false;
  /** Grows when work is abandoned. */
  #term = 0;
  #cancelPatience: () => void = () => undefined;

  constructor({ clock, soon = afterRounds }: ThreadOptions) {
    this.#clock = clock;
    this.#soon = soon;
    this.#budgets = new Budgets(clock);
  }

  /** To its end, or until it is abandoned. `workedMs` is without the waiting. */
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

  /** When it is its turn; it cannot be cut. */
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

  /** On another thread: it holds up nobody here, and its group pays for it all the same. */
  async elsewhere<T>(
    group: string,
    work: () => Promise<{ readonly value: T; readonly workedMs: number }>,
  ): Promise<T> {
    for (;;) {
      await this.piece(group, () => undefined);
      await this.#lane.enter(group);
      // While it waited, another of its group was read: others have the lane until that is paid
      // for.
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

  /** What cannot wait for its turn: it counts all the same. */
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

  /** What waits for its turn is rejected. */
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

  /** Once for all that waits for it. */
  #goRound(): void {
    if (this.#isGoingRound) return;
    this.#isGoingRound = true;
    this.#soon(() => {
      this.#isGoingRound = false;
      this.#usedMs = 0;
      this.#goOn();
    });
  }

  /** The first of the line whose turn it is; that line comes last then. */
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
