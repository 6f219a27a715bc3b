// Whose turn is it on the one thread? Groups (namespaces) and the event loop take turns, whichever
// kind the work is of.
import type { Clock } from '../clock.ts';
import { Budgets } from './budgets.ts';
import { FairSemaphore } from './fair-semaphore.ts';

/**
 * How long one turn may keep others waiting: other groups, watch events, probes, the Lease.
 */
export const TURN_MS = 10;

/** Of all groups together: each long work keeps its intermediate results in memory. */
const MOST_UNDER_WAY = 2;

/**
 * In one round, the event loop accepts one new connection of each port: the kubelet's probes would
 * wait behind hundreds of others.
 */
const ROUNDS = 16;

export type TurnsOptions = {
  readonly clock: Clock;
  /** Calls back when the event loop has handled everything that was waiting. */
  readonly soon?: (run: () => void) => void;
};

type Waiter = {
  readonly owner: object;
  readonly go: () => void;
  readonly abandon: (error: Error) => void;
};

/** Prefix of a group for its work under way; no group's name begins with it. */
const UNDER_WAY = ' ';
export const underWay = (group: string): string => UNDER_WAY + group;

/** Shared by all kinds. */
export class Turns {
  readonly clock: Clock;
  /** Of works that take more than one turn. */
  readonly longWork = new FairSemaphore(MOST_UNDER_WAY);
  readonly budgets: Budgets;
  readonly #soon: (run: () => void) => void;
  /** Queues of groups, and of their work under way, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** Since the event loop last ran. */
  #usedMs = 0;
  #isGoingRound = false;
  /** A waiter was let go and has not run yet. */
  #isHeld = false;
  #cancelPatience: () => void = () => undefined;

  constructor({ clock, soon = afterRounds }: TurnsOptions) {
    this.clock = clock;
    this.#soon = soon;
    this.budgets = new Budgets(clock);
  }

  /** Resolves when it is the turn of this group, or of its work under way. */
  take(line: string, owner: object): Promise<void> {
    if (this.#isFree && this.#waiting.size === 0 && this.#waitMs(line) === 0) {
      this.#isHeld = true;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(line) ?? [];
    waiters.push({ owner, go: resolve, abandon: reject });
    this.#waiting.set(line, waiters);
    this.#goOn();
    return promise;
  }

  giveBack(): void {
    this.#isHeld = false;
    this.#goOn();
  }

  /** This group has had a turn. */
  worked(group: string, workedMs: number): void {
    this.budgets.charge(group, workedMs - 2 * TURN_MS);
    this.#usedMs += workedMs;
    if (workedMs > 0) this.#goRound();
  }

  /** Rejects the waiting work of this owner. */
  abandon(owner: object, error: Error): void {
    for (const [line, waiters] of [...this.#waiting]) {
      const others = waiters.filter((it) => it.owner !== owner);
      if (others.length > 0) this.#waiting.set(line, others);
      else this.#waiting.delete(line);
      for (const it of waiters) if (it.owner === owner) it.abandon(error);
    }
    this.longWork.abandon(owner, error);
    this.#goOn();
  }

  #waitMs(line: string): number {
    return line.startsWith(UNDER_WAY) ? 0 : this.budgets.waitMs(line);
  }

  get #isFree(): boolean {
    return !this.#isHeld && this.#usedMs < TURN_MS;
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
      this.#cancelPatience = this.clock.after(soonestMs, () => this.#goOn());
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
