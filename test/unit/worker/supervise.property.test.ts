import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Action, Job, Policy, ProcessEvent } from '../../../src/worker/decide/stream.ts';
import {
  consumed,
  idle,
  nextDue,
  type SupervisorEvent,
  type SupervisorState,
  supervise,
} from '../../../src/worker/decide/supervise.ts';
import { reportedStreams } from '../../../src/worker/report/streams.ts';
import { tries } from '../../support/tries.ts';
import { policy, slice } from './builders.ts';
import { FailingModel } from './failing-model.ts';

const streams = ['a', 'b', 'c', 'd'];

/**
 * What can happen next. `process` moves the process of one stream a step on, whatever step it is
 * at.
 */
type Move =
  | {
      readonly move: 'slice';
      readonly jobs: readonly string[];
      readonly weight: number;
      /** Of all its streams. */
      readonly token?: string | undefined;
      readonly maxRestarts?: number | undefined;
    }
  | {
      readonly move: 'process';
      readonly stream: string;
      readonly good: boolean;
      readonly chance: number;
    }
  | { readonly move: 'pass'; readonly ms: number }
  | { readonly move: 'shutdown' }
  | { readonly move: 'hurry' };

const processMove = (among: readonly string[]): fc.Arbitrary<Move> =>
  fc.record({
    move: fc.constant('process' as const),
    stream: fc.constantFrom(...among),
    good: fc.boolean(),
    chance: fc.constantFrom(0, 0.5, 0.999),
  });
const sliceMove: fc.Arbitrary<Move> = fc.record({
  move: fc.constant('slice' as const),
  jobs: fc.subarray(streams),
  weight: fc.constantFrom(0, 40),
  token: fc.constantFrom(undefined, undefined, 't1', 't2'),
  maxRestarts: fc.constantFrom(undefined, 1, 3),
});
const passMove: fc.Arbitrary<Move> = fc.record({
  move: fc.constant('pass' as const),
  ms: fc.constantFrom(1, 1_000, 5_000, 40_000),
});

const moves = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: processMove(streams) },
    { weight: 3, arbitrary: sliceMove },
    { weight: 2, arbitrary: passMove },
    { weight: 1, arbitrary: fc.constantFrom<Move>({ move: 'shutdown' }, { move: 'hurry' }) },
  ),
  { maxLength: 60 },
);

/** Long enough to fail, and to get well. */
const lasting = ['a', 'b'];
const movesOfLasting = fc.array(
  fc.oneof({ weight: 3, arbitrary: processMove(lasting) }, { weight: 2, arbitrary: passMove }),
  { maxLength: 60 },
);

/** The processes of one machine: a second one of a stream fails the test. */
class World {
  swarm: SupervisorState = idle;
  now = 0;
  chance = 0;
  isHurried = false;
  version = 0;
  isShutDown = false;
  readonly processes = new Map<
    string,
    { job: Job; step: 'spawning' | 'running' | 'leftovers'; askedAt?: number; isKilled: boolean }
  >();
  /** By stream: the job of the last process since the stream was last taken away. */
  readonly ran = new Map<string, Job>();
  private readonly failing = new FailingModel();
  private weight = 0;
  private maxRestarts: number | undefined;
  /** By stream: that it was last started with. */
  private readonly tokens = new Map<string, string>();
  private readonly rules: Policy;

  constructor(rules: Policy) {
    this.rules = rules;
  }

  make(move: Move): void {
    if (move.move === 'process') {
      this.chance = move.chance;
      this.advance(move.stream, move.good);
    } else this.tell(this.eventOf(move));
  }

  private eventOf(move: Exclude<Move, { readonly move: 'process' }>): SupervisorEvent {
    switch (move.move) {
      case 'slice': {
        this.version += 1;
        const weights = Object.fromEntries(move.jobs.map((stream) => [stream, move.weight]));
        for (const stream of streams) {
          if (!move.jobs.includes(stream)) this.ran.delete(stream);
          if (!move.jobs.includes(stream)) this.tokens.delete(stream);
          const isNewToken = move.token !== undefined && move.token !== this.tokens.get(stream);
          if (!move.jobs.includes(stream) || move.weight !== this.weight || isNewToken)
            this.failing.forget(stream);
          if (move.jobs.includes(stream) && move.token !== undefined)
            this.tokens.set(stream, move.token);
        }
        this.weight = move.weight;
        this.maxRestarts = move.maxRestarts;
        const { token, maxRestarts } = move;
        const restarts =
          token === undefined ? {} : Object.fromEntries(move.jobs.map((it) => [it, token]));
        const policy = maxRestarts === undefined ? {} : { maxRestarts };
        return {
          type: 'Slice',
          slice: slice(this.version, move.jobs, { weights, restarts, policy }),
        };
      }
      case 'pass':
        this.now += move.ms;
        return { type: 'Due' };
      case 'shutdown':
        this.isShutDown = true;
        return { type: 'Shutdown' };
      case 'hurry':
        this.isHurried = true;
        return { type: 'Hurry' };
    }
  }

  private advance(stream: string, isGood: boolean): void {
    const process = this.processes.get(stream);
    const happened = (event: ProcessEvent): void => this.tell({ type: 'Process', stream, event });
    if (process === undefined) return;
    if (process.step === 'spawning' && isGood) {
      process.step = 'running';
      this.ran.set(stream, process.job);
      this.failing.started(stream, this.now);
      happened({ type: 'Started' });
    } else if (process.step === 'running') {
      process.step = 'leftovers';
      const isCompleted = isGood && this.rules.onExit === 'complete';
      if (isCompleted) this.failing.forget(stream);
      else if (process.askedAt === undefined) this.failing.endedByItself(stream, this.now);
      happened({ type: 'Exited', code: isGood ? 0 : 1 });
    } else {
      const isFailure = process.step === 'spawning';
      this.processes.delete(stream);
      if (isFailure && process.askedAt === undefined) this.failing.couldNotStart(stream);
      happened(isFailure ? { type: 'SpawnFailed', problem: 'bad luck' } : { type: 'Gone' });
    }
  }

  private tell(event: SupervisorEvent): void {
    const before = this.swarm;
    const [swarm, actions] = supervise(this.rules, before, event, {
      now: this.now,
      chance: this.chance,
    });
    this.swarm = swarm;
    for (const action of actions) {
      if (action.do === 'Start') {
        expect(this.processes.has(action.job.stream)).toBe(false);
        expect(this.isShutDown).toBe(false);
        this.processes.set(action.job.stream, {
          job: action.job,
          step: 'spawning',
          isKilled: false,
        });
        this.failing.start(action.job, this.now);
      }
      if (action.do === 'Signal') this.receive(action);
    }
    this.checkWaits(before);
    if (swarm.confirmed !== before.confirmed) this.checkConfirmation();
    this.checkReport();
    this.checkTold();
  }

  /** Each process gets one SIGTERM, and one SIGKILL when its time is up, or earlier on `Hurry`. */
  private receive({ stream, signal }: Extract<Action, { readonly do: 'Signal' }>): void {
    const process = this.processes.get(stream);
    if (process === undefined) throw new Error(`${signal} for ${stream}, of which nothing runs`);
    if (signal === 'SIGTERM') {
      expect(process.askedAt).toBeUndefined();
      process.askedAt = this.now;
      return;
    }
    expect(process.isKilled).toBe(false);
    const waited = this.now - (process.askedAt ?? Number.NaN);
    if (!this.isHurried) expect(waited).toBeGreaterThanOrEqual(this.rules.stopGraceMs);
    process.isKilled = true;
  }

  /** No restart comes at once, and none waits for longer than the longest backoff. */
  private checkWaits(before: SupervisorState): void {
    for (const [stream, state] of this.swarm.streams) {
      if (state.phase !== 'BackingOff' || before.streams.get(stream) === state) continue;
      const full = Math.min(
        this.rules.backoffMaxMs,
        this.rules.backoffInitialMs * 2 ** (state.failures - 1),
      );
      expect(state.until - this.now).toBeLessThanOrEqual(full);
      expect(state.until - this.now).toBeGreaterThanOrEqual(full * 0.75 - 1);
    }
  }

  private checkConfirmation(): void {
    const { jobs, version } = this.swarm.wanted;
    expect(this.isShutDown).toBe(false);
    expect(this.swarm.confirmed).toBe(version);
    for (const stream of this.processes.keys()) expect([...jobs.keys()]).toContain(stream);
    for (const [stream, job] of jobs) {
      // A token that has vanished asks for no restart, and one that cannot be started is given up.
      const isGivenUp = this.swarm.streams.get(stream)?.phase === 'Failed';
      const ran = this.ran.get(stream);
      if (!isGivenUp) expect({ ...ran, ...job }).toEqual(ran);
    }
  }

  /** All that runs is reported; once the version is confirmed, the report is the slice. */
  private checkReport(): void {
    const report = consumed(this.swarm);
    for (const [stream, process] of this.processes)
      if (process.step !== 'spawning') expect(report).toContain(stream);
    if (!this.isShutDown && this.swarm.confirmed === this.version)
      expect(report).toEqual([...this.swarm.wanted.jobs.keys()]);
  }

  /** What the worker reports of each stream is true; a stream without a report runs. */
  private checkTold(): void {
    const { states, streams: told = {} } = reportedStreams(
      this.swarm,
      this.now,
      (moment) => new Date(moment),
    );
    for (const stream of this.swarm.streams.keys()) {
      const process = this.processes.get(stream);
      const runs = process?.step === 'running' && process.askedAt === undefined;
      const { state = 'Running', restarts } = told[stream] ?? {};
      const isFailing = this.failing.isFailing(stream, this.now);
      if (state !== 'Stopping' && state !== 'Failed')
        expect(state === 'Restarting').toBe(isFailing);
      if (state === 'Failed')
        expect(process === undefined || process.step === 'leftovers').toBe(true);
      if (state === 'Running') expect(runs).toBe(true);
      if (state === 'Starting') expect(runs).toBe(false);
      if (state === 'Stopping') expect(process?.askedAt).toBeDefined();
      if (state === 'Completed') expect(process).toBeUndefined();
      if (state === 'Starting' || state === 'Restarting' || state === 'Failed')
        expect(restarts).toBe(this.failing.restartsOf(stream, this.now));
    }
    const total = Object.values(states ?? {}).reduce((a, b) => a + b, 0);
    expect(total).toBe(Object.keys(told).length === 0 ? 0 : this.swarm.streams.size);
  }

  /** From here on, every process starts, and every stopped one ends. */
  settle(): void {
    for (let round = 0; round < 20; round += 1) {
      for (const [stream, process] of [...this.processes]) {
        if (process.step === 'spawning') this.advance(stream, true);
        if (process.step === 'leftovers' || process.isKilled) this.finish(stream);
      }
      this.now = Math.max(this.now, nextDue(this.swarm) ?? this.now);
      this.tell({ type: 'Due' });
    }
  }

  private finish(stream: string): void {
    if (this.processes.get(stream)?.step === 'running') this.advance(stream, false);
    if (this.processes.get(stream)?.step === 'leftovers') this.advance(stream, false);
  }
}

describe.each(['restart', 'complete'] as const)('whatever happens (on exit: %s)', (onExit) => {
  it('a worker runs one process per stream, reports them all, confirms only true versions, and finishes', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const world = new World({ ...policy, onExit });
        for (const move of all) world.make(move);
        world.settle();
        const running = [...world.processes.keys()].sort();
        if (world.isShutDown) {
          expect(running).toEqual([]);
          expect(world.swarm.streams.size).toBe(0);
        } else {
          const completed = [...world.swarm.streams].flatMap(([stream, { phase }]) =>
            phase === 'Completed' || phase === 'Failed' ? [stream] : [],
          );
          expect([...running, ...completed].sort()).toEqual(
            [...world.swarm.wanted.jobs.keys()].sort(),
          );
          expect(world.swarm.confirmed).toBe(world.version);
        }
      }),
      { numRuns: tries(170) },
    );
  });

  it('a worker reports the true state of streams that fail and recover', () => {
    fc.assert(
      fc.property(movesOfLasting, (all) => {
        const world = new World({ ...policy, onExit });
        world.make({ move: 'slice', jobs: lasting, weight: 0 });
        for (const move of all) world.make(move);
      }),
      { numRuns: tries(100) },
    );
  });
});
