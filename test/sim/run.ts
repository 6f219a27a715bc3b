// Does one story end well? Runs it from beginning to end in virtual time and reports every broken
// promise as a violation.
import { KubeError } from '../../src/runtime/client/errors.ts';
import type { Call } from '../support/memory-api.ts';
import { GroupSimWorld } from './group/group-world.ts';
import type { Interceptor } from './operator/sim-api.ts';
import type { SimOperator } from './operator/sim-operator.ts';
import { PoolSimWorld } from './pool-world.ts';
import { QueueSimWorld } from './queue/queue-world.ts';
import { faults, type Outcome } from './story/faults.ts';
import type { Calls, Side } from './story/plan.ts';
import type { AnyStory, PlacedFault } from './story/story.ts';
import type { SimWorld, Violation } from './world.ts';

const RESYNCS = 10;
/**
 * Seconds: a stream is well after a minute, and that is told at an audit; some that fail move to
 * other workers, one in a minute.
 */
const LONGEST_MOVES = 600;
/** Status and an Event, each once more when it is over. */
const WRITES_OF_MOVE = 4;

export type Result = {
  readonly violation: Violation | undefined;
  /**
   * The numbers of the first operator's calls, before and after they were carried out, from the
   * users' first action until the pool is healthy.
   */
  readonly calls: Calls;
  readonly injected: readonly PlacedFault[];
  /** From the last interference until the pool was healthy. */
  readonly settledInMs: number;
  readonly virtualMs: number;
  /** Streams that an operator reported as running at two workers. */
  readonly doubled: readonly string[];
  readonly chronicle: readonly { readonly at: number; readonly text: string }[];
};

function worldOf(story: AnyStory): SimWorld {
  if ('queues' in story) return new QueueSimWorld(story);
  return 'group' in story ? new GroupSimWorld(story) : new PoolSimWorld(story);
}

/** `counts`: whether what an oracle finds counts. */
export async function run(
  story: AnyStory,
  counts: (oracle: string) => boolean = () => true,
): Promise<Result> {
  const world = worldOf(story);
  world.counts = counts;
  const unhandled = (error: unknown): void =>
    world.report({ oracle: 'no unhandled rejection', message: String(error) });
  process.on('unhandledRejection', unhandled);
  const storyRun = new StoryRun(world, story);
  try {
    await storyRun.run();
  } finally {
    process.off('unhandledRejection', unhandled);
    for (const operator of world.operators) operator.kill();
  }
  const [violation] = world.violations;
  const { calls, injected, settledInMs } = storyRun;
  return {
    violation,
    calls,
    injected,
    settledInMs,
    virtualMs: world.clock.monotonic(),
    doubled: world.doubled,
    chronicle: world.chronicle,
  };
}

class StoryRun {
  readonly #world: SimWorld;
  readonly #story: AnyStory;
  readonly injected: PlacedFault[] = [];
  readonly #counts: number[] = [];
  readonly calls = { before: new Set<number>(), after: new Set<number>() };
  settledInMs = 0;
  #isCounting = false;
  readonly #numbers = new WeakMap<Call, number>();

  constructor(world: SimWorld, story: AnyStory) {
    this.#world = world;
    this.#story = story;
    world.intercept = (operator) => this.#interceptor(operator);
  }

  async run(): Promise<void> {
    const world = this.#world;
    const { startsEmpty, actions, faults: placed } = this.#story;
    const { subject } = world.limits();
    for (const operator of world.operators) operator.start();
    if (startsEmpty !== true) {
      world.setUp();
      if (!(await this.#settles(`${subject} is set up`))) return;
    }
    world.record(`— ${subject} is healthy; the story begins —`);
    this.#isCounting = true;
    for (const action of actions) {
      world.disturb(action.atMs);
      world.clock.after(action.atMs, () => {
        world.record(`user: ${JSON.stringify({ ...action, atMs: undefined })}`);
        world.act(action);
      });
    }
    for (const fault of placed) {
      if (!('atMs' in fault)) continue;
      world.disturb(fault.atMs);
      world.clock.after(
        fault.atMs,
        () => void this.#inject(fault, world.operators[fault.operator ?? 0], undefined, 'after'),
      );
    }
    if (!(await this.#settles(`${subject} recovers`))) return;
    this.#isCounting = false;
    await this.#rests();
    if (world.violations.length === 0) await world.afterRest();
  }

  /** Steps of a quarter of a second until the pool is healthy and no fault or action is left. */
  async #settles(what: string): Promise<boolean> {
    const world = this.#world;
    const { clock } = world;
    let wrong: readonly string[] = [];
    do {
      await clock.advance(250);
      world.checkPromptness();
      if (world.violations.length > 0) return false;
      const isDisturbed = clock.monotonic() < world.disturbedUntil;
      if (isDisturbed) wrong = ['a fault or an action is still under way'];
      else
        wrong = world.hasActiveLeader
          ? world.problems()
          : ['no operator both leads and has working watches'];
      this.settledInMs = Math.max(0, clock.monotonic() - world.disturbedUntil);
      if (wrong.length === 0) return true;
    } while (clock.monotonic() < world.disturbedUntil + world.limits().settleMs);
    const { settleMs } = world.limits();
    world.report({ oracle: what, message: `not within ${settleMs / 1000} s: ${wrong.join('; ')}` });
    return false;
  }

  /** Ten resyncs with no write and no new timer. */
  async #rests(): Promise<void> {
    const world = this.#world;
    const { clock } = world;
    // Status that the operator has held back may still be written.
    const { quietAfter, retriedAfter, countedAfter } = world;
    const restsAt = Math.max(quietAfter, retriedAfter, countedAfter);
    await clock.advance(3_000 + Math.max(0, restsAt - clock.monotonic()));
    await this.#comesToRest();
    const { writes } = world;
    const pending: number[] = [];
    for (let count = 0; count < RESYNCS; count += 1) {
      for (const operator of world.operators) operator.resync();
      await clock.advance(1_000);
      world.checkPromptness();
      pending.push(clock.pending);
    }
    const wrong = [...world.problems(), ...world.restProblems()];
    const { subject, timers } = world.limits();
    if (wrong.length > 0)
      world.report({ oracle: `${subject} stays healthy`, message: wrong.join('; ') });
    if (world.writes !== writes)
      world.report({
        oracle: 'rest',
        message: `${world.writes - writes} writes in ${RESYNCS} resyncs`,
      });
    if (Math.min(...pending) > timers)
      world.report({ oracle: 'no growth', message: `timers leak: ${pending.join()}` });
  }

  /** While streams get well or go on to fail, each such change may be told, and nothing else is. */
  async #comesToRest(): Promise<void> {
    const world = this.#world;
    const { writes, moves } = world;
    // One that has just changed may not be told yet.
    const before = world.isMoving ? 1 : 0;
    for (let count = 0; world.isMoving && count < LONGEST_MOVES; count += 1) {
      await world.clock.advance(1_000);
      world.checkPromptness();
    }
    const most = WRITES_OF_MOVE * (world.moves - moves + before);
    const written = world.writes - writes;
    if (written > most)
      world.report({
        oracle: 'rest',
        message: `${written} writes for ${world.moves - moves + before} changes of streams`,
      });
  }

  #interceptor(operator: SimOperator): Interceptor {
    const index = this.#world.operators.indexOf(operator);
    return (call, side) => {
      if (!this.#isCounting) return undefined;
      if (side === 'before' && !this.#numbers.has(call))
        this.#numbers.set(call, this.#nextNumber(index));
      const number = this.#numbers.get(call);
      // Begun before the story.
      if (number === undefined) return undefined;
      if (index === 0) this.calls[side].add(number);
      const isMeant = (it: PlacedFault): boolean =>
        'call' in it && it.call === number && it.side === side && (it.operator ?? 0) === index;
      const fault = this.#story.faults.find((it) => isMeant(it) && !this.injected.includes(it));
      if (fault === undefined) return undefined;
      return this.#outcome(this.#inject(fault, operator, call, side));
    };
  }

  #nextNumber(index: number): number {
    const number = (this.#counts[index] ?? 0) + 1;
    this.#counts[index] = number;
    return number;
  }

  #inject(
    fault: PlacedFault,
    operator: SimOperator | undefined,
    call: Call | undefined,
    side: Side,
  ): Outcome {
    const world = this.#world;
    if (operator === undefined || !operator.isOn) return undefined;
    this.injected.push(fault);
    const { says, inject } = faults[fault.fault];
    const where =
      call === undefined ? '' : ` (${side} ${call.verb} ${call.kind.kind} ${call.name ?? ''})`;
    world.record(`${fault.fault}: ${says}${where}`);
    world.disturb(0);
    const random = world.random.fork(`${fault.fault} ${JSON.stringify(fault)}`);
    return world.inject(() => inject({ world, operator, random, call, side, how: fault.how }));
  }

  #outcome(outcome: Outcome): ReturnType<Interceptor> {
    if (outcome === undefined) return undefined;
    if (outcome instanceof KubeError) return Promise.reject(outcome);
    if (outcome === 'hang') return new Promise(() => undefined);
    this.#world.disturb(outcome.onItsWayMs);
    return new Promise(
      (resolve) => void this.#world.clock.after(outcome.onItsWayMs, () => resolve('sent')),
    );
  }
}
