// How does a kind run its work on the one thread? Turn by turn.
import { TURN_MS, Turns, type TurnsOptions, underWay } from './turns.ts';

/** The work is no longer wanted. Nothing of it was carried out. */
export class Abandoned extends Error {
  constructor() {
    super('the work is not wanted any more');
  }
}

type Turn<T> = { readonly last: IteratorResult<void, T>; readonly turnMs: number };

/**
 * Guarantees: a group waits for at most two turns of each other group, one of new work and one of
 * work under way, however much work these have. A group pays for a long turn that could not be
 * divided: until then it begins nothing (budgets.ts). Of works that take more than one turn, one of
 * a group is under way, and two in all; the others wait after their first turn (fair-semaphore.ts).
 * Work under way pays when it has ended, since others wait for that.
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
    const { longWork } = this.#turns;
    const goOn = (line: string): Promise<Turn<T>> =>
      this.#takeTurn(line, group, () => {
        if (term !== this.#term) throw new Abandoned();
        return this.#runTurn(work);
      });
    let { last, turnMs: workedMs } = await goOn(group);
    if (last.done === true) return { value: last.value, workedMs };
    await longWork.acquire(group, this);
    try {
      for (;;) {
        const next = await goOn(underWay(group));
        workedMs += next.turnMs;
        ({ last } = next);
        if (last.done === true) return { value: last.value, workedMs };
      }
    } finally {
      longWork.release(group);
    }
  }

  /** Runs work that cannot be divided, when it is its turn. */
  inTurn<T>(group: string, work: () => T): Promise<T> {
    return this.#takeTurn(group, group, work);
  }

  async #takeTurn<T>(line: string, group: string, work: () => T): Promise<T> {
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
    const { longWork, budgets } = this.#turns;
    for (;;) {
      await this.inTurn(group, () => undefined);
      await longWork.acquire(group, this);
      // Another work of its group ran meanwhile: other groups go first until it is paid for.
      if (budgets.waitMs(group) === 0) break;
      longWork.release(group);
    }
    try {
      const { value, workedMs } = await work();
      budgets.charge(group, workedMs - 2 * TURN_MS);
      return value;
    } finally {
      longWork.release(group);
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

  #runTurn<T>(work: Iterator<void, T, void>): Turn<T> {
    const { clock } = this.#turns;
    const started = clock.monotonic();
    for (;;) {
      const last = work.next();
      const turnMs = clock.monotonic() - started;
      if (last.done === true || turnMs >= TURN_MS) return { last, turnMs };
    }
  }
}
