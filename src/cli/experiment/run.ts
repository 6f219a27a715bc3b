// How does an experiment with one group go on? Size by size, each when the one before was reached;
// in the end the group has again what it had.
import type { KubeObject } from '../../api/objects.ts';
import { parseSwarmGroup, type SwarmGroup } from '../../api/validate.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { isCurrent } from '../views/state.ts';
import { durationText } from '../views/time.ts';
import { type Held, HeldGroup, type Order } from './held-group.ts';
import { outcomeOf, type SizeOutcome } from './outcome.ts';
import { type ExperimentStep, type Measurement, measurementOf } from './record.ts';
import { InterruptedByUser, Stopped } from './stopped.ts';
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
  readonly groups: WatchedGroups;
  readonly tell: (text: string) => void;
  readonly record: (measurement: Measurement) => void;
  /** The user asks to end, and the group is put back. */
  readonly ended: AbortSignal;
  /** The user waits no longer for that either. */
  readonly abandoned: AbortSignal;
};

/** A group that no operator works for is told of after so long. */
const QUIET_MS = 30_000;

export class GroupTrial {
  readonly #experiment: Experiment;
  readonly #around: Surroundings;
  readonly #held: HeldGroup;
  #done = 0;

  constructor(experiment: Experiment, around: Surroundings, object: KubeObject, found: Held) {
    this.#experiment = experiment;
    this.#around = around;
    const tell = (text: string): void => this.#tell(text);
    this.#held = new HeldGroup({ ...around, tell }, object, found);
  }

  get name(): string {
    return this.#held.name;
  }

  /** What may not be as it was found. */
  get left(): readonly string[] {
    return this.#held.left;
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
    const { group, outcome } = await this.#settled({ replicas: to, order });
    this.#done += 1;
    const round = repeat === undefined ? 'warm-up' : `round ${repeat}`;
    const label = `[${this.#done}/${all}] ${order}, ${round}: ${from} -> ${to}`;
    if (outcome.is === 'disturbed') throw new Stopped(`${label}: ${outcome.why}`);
    const { transition } = outcome;
    const isReached = outcome.is === 'reached';
    if (repeat !== undefined)
      this.#around.record(measurementOf({ ...step, repeat }, group, transition, isReached));
    if (outcome.is === 'failed') throw new Stopped(`${label} failed: ${outcome.why}`);
    const took = durationText(transition?.times?.totalMilliseconds);
    this.#tell(`${label} ${took === undefined ? 'was not measured' : `took ${took}`}`);
  }

  async #reach(wanted: Held): Promise<void> {
    const { outcome } = await this.#settled(wanted);
    if (outcome.is !== 'reached') throw new Stopped(`${textOf(wanted)}: ${outcome.why}`);
  }

  async #settled(wanted: Held): Promise<Settled> {
    const { ended } = this.#around;
    await this.#held.set(wanted, ended);
    return this.#awaited(wanted.replicas);
  }

  async #awaited(size: number): Promise<Settled> {
    const { clock, groups, ended } = this.#around;
    let isSeen = false;
    const cancel = clock.after(QUIET_MS, () => {
      if (!isSeen)
        this.#tell(
          `the operator has not reconciled the group for ${QUIET_MS / 1_000} s; is it running?`,
        );
    });
    try {
      return await groups.until(
        this.name,
        (object) => {
          if (object !== undefined && this.#held.isOld(object)) return undefined;
          const other = this.#held.whyOther(object);
          if (object === undefined || other !== undefined)
            throw new Stopped(other ?? 'the group was deleted');
          const group = parseSwarmGroup(object);
          isSeen = isCurrent(group);
          const outcome = outcomeOf(group, size);
          return outcome.is === 'awaited' ? undefined : { group, outcome };
        },
        ended,
      );
    } finally {
      cancel();
    }
  }

  async #putBack(): Promise<boolean> {
    const { ended, abandoned } = this.#around;
    const back = await this.#held.putBack(abandoned).catch((error: unknown) => {
      if (error instanceof InterruptedByUser || error instanceof KubeError) return error;
      throw error;
    });
    if (back instanceof Error) {
      this.#tell(`not restored: ${this.left.join(', ')} (${back.message})`);
      return false;
    }
    for (const other of back.others) this.#tell(other);
    if (back.others.length > 0) return false;
    const { found } = this.#held;
    // After a change by another client, or an interrupt, the members are not waited for.
    if (back.isAsFound && !ended.aborted) {
      if (await this.#unlessStopped(() => this.#reach(found))) {
        this.#tell(`restored to ${textOf(found)}`);
        return true;
      }
      if (!ended.aborted) return false;
    }
    this.#tell(`restored to ${textOf(found)}; its members are still scaling`);
    return true;
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
