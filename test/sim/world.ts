// What does every run have, whatever kind it is about? A clock, an API server, operators, users,
// and a record of what happened.

import { KubeError } from '../../src/runtime/client/errors.ts';
import { PATCH_EVERY_MS } from '../../src/runtime/engine/event-writer.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import type { Surroundings } from './cluster/actor.ts';
import { ApiServer } from './cluster/api-server.ts';
import type { Interceptor, Sent } from './operator/sim-api.ts';
import type { OperatorWorld, SimOperator } from './operator/sim-operator.ts';
import { Random } from './random.ts';

export type Violation = { readonly oracle: string; readonly message: string };

/**
 * Within this time watches reconnect, a new leader has probed all workers, and backoffs are over.
 */
const RECOVERED_MS = 12_000;

export type SimStory<Action> = {
  readonly seed: number;
  readonly hasStandby: boolean;
  /** What a clock on the wall says then; left out, some time. */
  readonly startsAt?: string;
  readonly actions: readonly (Action & { readonly mends?: true })[];
};

/** The limits of a run. */
export type Limits = {
  /** What is healthy in the end: `the pool`. */
  readonly subject: string;
  /** It must be healthy within this time after the last fault. */
  readonly settleMs: number;
  /** Timers of an idle operator and of the processes around it. */
  readonly timers: number;
};

export abstract class SimWorld<Action = unknown> {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly server: ApiServer;
  readonly violations: Violation[] = [];
  /** Whether what an oracle finds counts. */
  counts: (oracle: string) => boolean = () => true;
  /** What happened, for the reader of a failed story. */
  readonly chronicle: { readonly at: number; readonly text: string }[] = [];
  /** The users' last actions, which repair what the story left broken. */
  readonly mends: readonly Action[];
  /** What users are about to do. */
  readonly users: Action[] = [];
  /** By operators, without the Lease. */
  writes = 0;
  /** Until then a fault or a user may still interfere. */
  disturbedUntil = 0;
  /** Until then the operator may retry a refused write. */
  quietAfter = 0;
  /** The same for the write of one object, which keeps it from nothing else. */
  retriedAfter = 0;
  /** Until then the operator may count a repeated event. */
  countedAfter = 0;
  #isInjecting = false;
  #hinderedUntil = 0;
  #leading: { readonly identity: string | undefined; readonly since: number } | undefined;
  /** Called for each call of an operator. */
  intercept: (operator: SimOperator) => Interceptor = () => () => undefined;

  constructor({ seed, actions, startsAt }: SimStory<Action>) {
    this.clock = new VirtualClock(startsAt === undefined ? undefined : Date.parse(startsAt));
    this.random = new Random(seed);
    this.mends = actions.filter(({ mends }) => mends === true);
    this.server = new ApiServer(this.clock);
  }

  abstract readonly operators: readonly SimOperator[];
  /** How many watches an operator has. */
  protected abstract readonly watched: number;

  /** The objects that a story begins with. */
  abstract setUp(): void;
  /** As kubectl would do it; throws what the API server answers. */
  protected abstract perform(action: Action): void;
  /** Undoes what users changed or deleted, by the manifests of the beginning. */
  abstract reapply(): void;
  /** F17: an edit by hand of what the operator made. */
  abstract editByHand(random: Random, how: string | undefined): void;
  /** F18: what runs the work crashes or is cut off. */
  abstract breakWork(random: Random): void;
  /** F21: `restore` puts the API server back; these operators remember what was there. */
  abstract restoreServer(remembering: ReadonlySet<string>, restore: () => void): void;
  /** Empty when all is as it should be. */
  abstract problems(): readonly string[];
  /** What must hold besides once all is at rest. */
  abstract restProblems(): readonly string[];
  abstract limits(): Limits;
  /** What users try once all is at rest. */
  async afterRest(): Promise<void> {}

  /** What workers tell changes by itself: nothing rests yet. */
  get isMoving(): boolean {
    return false;
  }

  /** How often it has changed so. */
  get moves(): number {
    return 0;
  }

  /** Reported so far, for tests of reports: streams that run twice. */
  abstract readonly doubled: readonly string[];
  protected abstract onWrite(identity: string, sent: Sent): void;
  /** The leader that no fault hinders; undefined: no operator can be judged now. */
  protected abstract look(leader: string | undefined): void;
  /** What an operator knows may be wrong until then. */
  abstract excuse(until: number): void;

  surroundings(label: string): Surroundings {
    return { clock: this.clock, server: this.server, random: this.random.fork(label) };
  }

  /** What every operator lives in. */
  protected operatorWorld(): Pick<
    OperatorWorld,
    'clock' | 'server' | 'random' | 'intercept' | 'onWrite' | 'onLog'
  > {
    return {
      ...this.surroundings('operators'),
      intercept: (operator) => this.intercept(operator),
      onWrite: (operator, identity, sent) => this.#written(operator, identity, sent),
      onLog: (operator, level, message, facts) => {
        if (level === 'error')
          this.report({
            oracle: 'no error in the log',
            message: `${operator.name}: ${message} ${JSON.stringify(facts)}`,
          });
      },
    };
  }

  #written(operator: SimOperator, identity: string, sent: Sent): void {
    const { kind, subresource, verb, name = '' } = sent.call;
    // After a status write the operator may only count the Event at first.
    if (kind.kind === 'Event' || subresource === 'status')
      this.countedAfter = this.clock.monotonic() + PATCH_EVERY_MS;
    if (kind.kind !== 'Lease') {
      this.writes += 1;
      const part = subresource === undefined ? '' : `/${subresource}`;
      this.record(`${operator.name} ${verb} ${kind.kind} ${name}${part}`);
    }
    this.onWrite(identity, sent);
  }

  /** One after the other: an action without a response delays the next. */
  act(action: Action): void {
    this.users.push(action);
    if (this.users.length === 1) this.#goOn();
  }

  #goOn(): void {
    const { server, clock, users } = this;
    for (let action = users[0]; action !== undefined; action = users[0]) {
      if (server.isDown) {
        this.disturb(300);
        clock.after(300, () => this.#goOn());
        return;
      }
      users.shift();
      try {
        this.perform(action);
      } catch (error) {
        // Refused, or not found: kubectl prints that and exits.
        if (!(error instanceof KubeError)) throw error;
        this.record(`the server says: ${error.message}`);
      }
    }
  }

  report(violation: Violation): void {
    if (!this.counts(violation.oracle)) return;
    this.violations.push(violation);
    this.record(`VIOLATION ${violation.oracle}: ${violation.message}`);
  }

  record(text: string): void {
    this.chronicle.push({ at: this.clock.monotonic(), text });
  }

  disturb(forMs: number): void {
    this.disturbedUntil = Math.max(this.disturbedUntil, this.clock.monotonic() + forMs);
    if (this.#isInjecting) this.hinder(forMs);
  }

  /**
   * For this long, faults may keep operators from reading or writing; then they need a while to
   * catch up.
   */
  hinder(forMs: number): void {
    this.#hinderedUntil = Math.max(
      this.#hinderedUntil,
      this.clock.monotonic() + forMs + RECOVERED_MS,
    );
  }

  /** A fault keeps operators from their work, or did a moment ago. */
  protected get isHindered(): boolean {
    return this.clock.monotonic() < this.#hinderedUntil || this.server.isDown;
  }

  /** Each fault both disturbs and hinders. */
  inject<T>(fault: () => T): T {
    this.#isInjecting = true;
    try {
      this.hinder(0);
      return fault();
    } finally {
      this.#isInjecting = false;
    }
  }

  /** Checks that the leader reports in time: it has led for a while, and no fault hinders it. */
  checkPromptness(): void {
    const now = this.clock.monotonic();
    const leading = this.hasActiveLeader
      ? this.operators.find(({ isLeading }) => isLeading)?.identity
      : undefined;
    // The first leader has no backlog.
    const isFirst = this.#leading === undefined && leading !== undefined;
    if (isFirst) this.#leading = { identity: leading, since: -RECOVERED_MS };
    if (leading !== this.#leading?.identity) this.#leading = { identity: leading, since: now };
    const isCalm = now >= this.#hinderedUntil && now >= this.quietAfter && !this.server.isDown;
    const hasLed = this.#leading !== undefined && now - this.#leading.since >= RECOVERED_MS;
    this.look(isCalm && hasLed ? leading : undefined);
  }

  /** Ends an operator with SIGTERM and starts another in its place. */
  restartOperator(): void {
    const operator = this.operators.find(({ isLeading }) => isLeading) ?? this.operators[0];
    if (operator?.isOn !== true || operator.isFrozen) return;
    this.disturb(1_000);
    void operator.stop();
    this.clock.after(1_000, () => operator.start());
  }

  kill(operator: SimOperator, backInMs: number): void {
    operator.kill();
    this.disturb(backInMs);
    this.clock.after(backInMs, () => {
      if (!operator.isOn) operator.start();
    });
  }

  /** An operator leads, and all of its watches work. */
  get hasActiveLeader(): boolean {
    return this.operators.some(
      ({ isLeading, network }) => isLeading && network.watches.size >= this.watched,
    );
  }
}
