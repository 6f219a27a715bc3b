// How does a kind run its work on the one thread? In pieces, when it is their turn.
import { PIECE_MS, Turns, type TurnsOptions, underWay } from './turns.ts';

/** The work is no longer wanted. Nothing of it was carried out. */
export class Abandoned extends Error {
  constructor() {
    super('the work is not wanted any more');
  }
}

type Piece<T> = { readonly last: IteratorResult<void, T>; readonly pieceMs: number };

/**
 * Guarantees: a group waits for at most two pieces of each other group, one of new work and one of
 * work under way, however much work these have. A group pays for a long piece that could not be
 * divided: until then it begins nothing (budgets.ts). Of works with more than one piece, one of a
 * group is under way, and two in all; the others wait after their first piece (lane.ts). Work under
 * way pays when it has ended, since others wait for that.
 */
export class TurnScheduler {
  readonly #options: TurnsOptions;
  readonly #turns: Turns;
  /** Counts calls of `abandon`. */
  #term = 0;

  constructor(options: TurnsOptions, turns = new Turns(options)) {
    this.#options = options;
    this.#turns = turns;
  }

  /** For the work of another kind: the same turns, and abandoned by itself. */
  beside(): TurnScheduler {
    return new TurnScheduler(this.#options, this.#turns);
  }

  /** Runs work to its end, or until it is abandoned. `workedMs` leaves out the waiting. */
  async run<T>(
    group: string,
    work: Iterator<void, T, void>,
  ): Promise<{ readonly value: T; readonly workedMs: number }> {
    const term = this.#term;
    const { lane } = this.#turns;
    const goOn = (line: string): Promise<Piece<T>> =>
      this.#inTurn(line, group, () => {
        if (term !== this.#term) throw new Abandoned();
        return this.#pieceOf(work);
      });
    let { last, pieceMs: workedMs } = await goOn(group);
    if (last.done === true) return { value: last.value, workedMs };
    await lane.enter(group, this);
    try {
      for (;;) {
        const next = await goOn(underWay(group));
        workedMs += next.pieceMs;
        ({ last } = next);
        if (last.done === true) return { value: last.value, workedMs };
      }
    } finally {
      lane.leave(group);
    }
  }

  /** Runs a piece that cannot be divided, when it is its turn. */
  piece<T>(group: string, work: () => T): Promise<T> {
    return this.#inTurn(group, group, work);
  }

  async #inTurn<T>(line: string, group: string, work: () => T): Promise<T> {
    await this.#turns.take(line, this);
    try {
      return this.now(group, work);
    } finally {
      this.#turns.giveBack();
    }
  }

  /** Work on another thread: it blocks no other group here, but is charged to its own group. */
  async elsewhere<T>(
    group: string,
    work: () => Promise<{ readonly value: T; readonly workedMs: number }>,
  ): Promise<T> {
    const { lane, budgets } = this.#turns;
    for (;;) {
      await this.piece(group, () => undefined);
      await lane.enter(group, this);
      // Another work of its group ran meanwhile: other groups have the lane until it is paid for.
      if (budgets.waitMs(group) === 0) break;
      lane.leave(group);
    }
    try {
      const { value, workedMs } = await work();
      budgets.charge(group, workedMs - 2 * PIECE_MS);
      return value;
    } finally {
      lane.leave(group);
    }
  }

  /** Work that cannot wait for its turn; its group pays for it. */
  now<T>(group: string, work: () => T): T {
    const { clock } = this.#turns;
    const started = clock.monotonic();
    try {
      return work();
    } finally {
      this.#turns.worked(group, clock.monotonic() - started);
    }
  }

  /** Rejects all waiting work of this kind. */
  abandon(): void {
    this.#term += 1;
    this.#turns.abandon(this, new Abandoned());
  }

  #pieceOf<T>(work: Iterator<void, T, void>): Piece<T> {
    const { clock } = this.#turns;
    const started = clock.monotonic();
    for (;;) {
      const last = work.next();
      const pieceMs = clock.monotonic() - started;
      if (last.done === true || pieceMs >= PIECE_MS) return { last, pieceMs };
    }
  }
}
