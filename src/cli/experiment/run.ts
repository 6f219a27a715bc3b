// How does an experiment with one group go on? Size by size, each when the one before was reached;
// in the end the group has again what it had.
import type { KubeObject } from '../../api/objects.ts';
import { parseSwarmGroup, type SwarmGroup } from '../../api/validate.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Bound, Wait } from '../arguments/waiting.ts';
import { isCurrent, stateOf } from '../views/state.ts';
import { durationText } from '../views/time.ts';
import { within } from './bounded.ts';
import { type Held, HeldGroup, type Order } from './held-group.ts';
import { outcomeOf, type SizeOutcome } from './outcome.ts';
import { type ExperimentStep, type Measurement, measurementOf } from './record.ts';
import { InterruptedByUser, Stopped, TimedOut } from './stopped.ts';
import { walkOf } from './walk.ts';
import type { WatchedGroups } from './watched-groups.ts';

export type Experiment = {
  readonly sizes: readonly number[];
  readonly orders: readonly Order[];
  readonly repeat: number;
  readonly warmUp: number;
};

export type Surroundings = {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** How long to wait for an answer; a transition has its own time in addition. */
  readonly timeoutMs: number;
  readonly groups: WatchedGroups;
  readonly tell: (text: string) => void;
  readonly record: (measurement: Measurement) => void;
  /** The user asks to end, and the group is put back. */
  readonly ended: AbortSignal;
  /** The user waits no longer for that either. */
  readonly abandoned: AbortSignal;
};

export class GroupTrial {
  readonly #experiment: Experiment;
  readonly #around: Surroundings;
  readonly #held: HeldGroup;
  /** Of one step. */
  readonly #bound: Bound;
  #done = 0;
  #isLate = false;

  constructor(experiment: Experiment, around: Surroundings, object: KubeObject, found: Held) {
    this.#experiment = experiment;
    this.#around = around;
    const tell = (text: string): void => this.#tell(text);
    this.#held = new HeldGroup({ ...around, tell }, object, found);
    this.#bound = boundOf(parseSwarmGroup(object), around.timeoutMs);
  }

  get name(): string {
    return this.#held.name;
  }

  /** What may not be as it was found. */
  get left(): readonly string[] {
    return this.#held.left;
  }

  /** A step has reached its bound: other groups would wait for the same operator. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** True: every step was reached, and the group is as it was found. */
  async run(): Promise<boolean> {
    let isWhole = false;
    let isBack = false;
    try {
      isWhole = await this.#unlessStopped(() => this.#walk());
    } finally {
      isBack = await this.#putBack();
    }
    return isWhole && isBack;
  }

  async #unlessStopped(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof TimedOut) this.#isLate = true;
      if (error instanceof InterruptedByUser) this.#tell('interrupted');
      else if (error instanceof Stopped || error instanceof KubeError)
        this.#tell(`stopped: ${error.message}`);
      else throw error;
      return false;
    }
  }

  async #walk(): Promise<void> {
    const { sizes, orders, repeat, warmUp } = this.#experiment;
    const [first = 0] = sizes;
    const walk = walkOf(sizes);
    const rounds = [
      ...Array.from({ length: warmUp }, () => undefined),
      ...Array.from({ length: repeat }, (_, at) => at + 1),
    ];
    const all = orders.length * rounds.length * walk.length;
    this.#tell(`${all} transitions, starting from ${textOf(this.#held.found)}`);
    for (const order of orders) {
      await this.#reach({ replicas: first, order });
      for (const round of rounds)
        for (const { from, to } of walk)
          await this.#step({ group: this.name, order, repeat: round, from, to }, all);
    }
  }

  async #step(step: ExperimentStep, all: number): Promise<void> {
    const { order, repeat, from, to } = step;
    this.#done += 1;
    const round = repeat === undefined ? 'warm-up' : `round ${repeat}`;
    const label = `[${this.#done}/${all}] ${order}, ${round}: ${from} -> ${to}`;
    const failed = `${label} failed`;
    const { group, outcome } = await this.#settled({ replicas: to, order }, failed);
    if (outcome.is === 'disturbed') throw new Stopped(`${label}: ${outcome.why}`);
    const { transition } = outcome;
    const isReached = outcome.is === 'reached';
    if (repeat !== undefined)
      this.#around.record(measurementOf({ ...step, repeat }, group, transition, isReached));
    if (outcome.is === 'failed') throw new Stopped(`${failed}: ${outcome.why}`);
    const took = durationText(transition?.times?.totalMilliseconds);
    this.#tell(`${label} ${took === undefined ? 'was not measured' : `took ${took}`}`);
  }

  async #reach(wanted: Held): Promise<void> {
    const failed = textOf(wanted);
    const { outcome } = await this.#settled(wanted, failed);
    if (outcome.is !== 'reached') throw new Stopped(`${failed}: ${outcome.why}`);
  }

  /** `failed` is how the message begins when the step reaches its bound. */
  async #settled(wanted: Held, failed: string): Promise<Settled> {
    try {
      return await this.#within(this.#bound, this.#around.ended, async (wait, signal) => {
        wait.for(answerTo(wanted));
        await this.#held.set(wanted, signal);
        return this.#awaited(wanted.replicas, wait, signal);
      });
    } catch (error) {
      throw error instanceof TimedOut ? new TimedOut(`${failed}: ${error.message}`) : error;
    }
  }

  #within<T>(
    bound: Bound,
    ended: AbortSignal,
    work: (wait: Wait, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const tell = (text: string): void => this.#tell(text);
    return within({ clock: this.#around.clock, tell }, bound, ended, work);
  }

  async #awaited(size: number, wait: Wait, signal: AbortSignal): Promise<Settled> {
    wait.for('the API server to show the group');
    return this.#around.groups.until(
      this.name,
      (object) => {
        if (object !== undefined && this.#held.isOld(object)) return undefined;
        const other = this.#held.whyOther(object);
        if (object === undefined || other !== undefined)
          throw new Stopped(other ?? 'the group was deleted');
        const group = parseSwarmGroup(object);
        const outcome = outcomeOf(group, size);
        if (outcome.is !== 'awaited') return { group, outcome };
        wait.for(awaitedOf(group, size));
        return undefined;
      },
      signal,
    );
  }

  async #putBack(): Promise<boolean> {
    const { ended, abandoned, timeoutMs } = this.#around;
    const back = await this.#within({ timeoutMs }, abandoned, (wait, signal) => {
      wait.for(answerTo(this.#held.found));
      return this.#held.putBack(signal);
    }).catch((error: unknown) => {
      if (error instanceof TimedOut) this.#isLate = true;
      else if (!(error instanceof InterruptedByUser || error instanceof KubeError)) throw error;
      return error;
    });
    if (back instanceof Error) {
      this.#tell(`not restored: ${this.left.join(', ')} (${back.message})`);
      return false;
    }
    for (const other of back.others) this.#tell(other);
    if (back.others.length > 0) return false;
    const { found } = this.#held;
    // After a change by another client, an interrupt or a time-out, members are not waited for.
    if (back.isAsFound && !ended.aborted && !this.#isLate) {
      if (await this.#unlessStopped(() => this.#reach(found))) {
        this.#tell(`restored to ${textOf(found)}`);
        return true;
      }
      if (!ended.aborted && !this.#isLate) return false;
    }
    this.#tell(`restored to ${textOf(found)}; its members may still be scaling`);
    return !this.#isLate;
  }

  #tell(text: string): void {
    this.#around.tell(`${this.name}: ${text}`);
  }
}

type Settled = {
  readonly group: SwarmGroup;
  readonly outcome: Exclude<SizeOutcome, { readonly is: 'awaited' }>;
};

const textOf = ({ replicas, order }: Held): string => `size ${replicas}, order ${order}`;

/** A transition that rolls back may take its time twice. */
function boundOf({ spec }: SwarmGroup, timeoutMs: number): Bound {
  const seconds = spec.ok ? spec.value.transition.timeoutSeconds : 0;
  return {
    timeoutMs: timeoutMs + 2 * 1_000 * seconds,
    from: "--timeout plus twice the group's transition.timeoutSeconds",
  };
}

const answerTo = (wanted: Held): string => `the API server to accept ${textOf(wanted)}`;

const awaitedOf = (group: SwarmGroup, size: number): string =>
  isCurrent(group)
    ? `all members to be ready at size ${size}; its state is ${stateOf(group, () => true).text}`
    : 'an operator to reconcile the group';
