// What does one stream do next? A pure state machine: (state, event, moment) -> [state, actions];
// in the state undefined, the worker does not run the stream.
import { isDeepStrictEqual } from 'node:util';
import type { SlicePolicy, StreamParameters } from '../../api/assignment.ts';
import { afterEnd, afterFailedStart, type Health, startedAgain, unharmed } from './health.ts';
import { toldMessage } from './told-message.ts';

/**
 * A stream to consume, and its parameters. If the weight or a parameter changes, its process
 * restarts.
 */
export type Job = {
  readonly stream: string;
  readonly weight: number;
  readonly parameters: StreamParameters;
  /** If the token changes, the process restarts; an omitted token requests nothing. */
  readonly restart?: string;
};

type Run = { readonly job: Job; readonly failures: number; readonly health: Health };
/** `proven`: a process of this job has already run, so the stream counts as started. */
type Attempt = Run & { readonly proven: boolean };

/** What follows when a process that is being stopped, and all its children, have ended. */
type Afterwards =
  | { readonly goal: 'Forget' }
  | { readonly goal: 'Start' | 'Complete'; readonly job: Job }
  | (Run & { readonly goal: 'BackOff'; readonly delayMs: number })
  | { readonly goal: 'GiveUp'; readonly job: Job; readonly health: Health };

/** `since`: when the phase began; a kill continues the time of the stop before it. */
export type StreamPhase = { readonly since: number } & (
  | (Attempt & { readonly phase: 'Starting' })
  | (Attempt & { readonly phase: 'BackingOff'; readonly until: number })
  | (Run & { readonly phase: 'Running' })
  | { readonly phase: 'Stopping'; readonly afterwards: Afterwards; readonly killAt: number }
  | { readonly phase: 'Killing'; readonly afterwards: Afterwards }
  | { readonly phase: 'Completed'; readonly job: Job }
  /** The stream is not started again. */
  | { readonly phase: 'Failed'; readonly job: Job; readonly health: Health }
);

/** The main process of a stream has ended; its children may still run. */
type Exited = {
  readonly type: 'Exited';
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal?: string;
  /** What the code does not show: for the log, and for the operator. */
  readonly how?: string;
  readonly message?: string;
  /** The stream reports that its work is done, whatever the policy makes of code 0. */
  readonly isCompleted?: boolean;
};

export type ProcessEvent =
  | { readonly type: 'SpawnFailed'; readonly problem: string }
  | Exited
  /** The process and all its children have ended. `said`: its last line of standard error. */
  | { readonly type: 'Gone'; readonly said?: string }
  | { readonly type: 'Started' };

export type StreamEvent =
  | ProcessEvent
  | { readonly type: 'Wanted'; readonly job: Job }
  | { readonly type: 'Unwanted'; readonly graceMs: number }
  /**
   * `Due`: the time of `dueAt` has come. `Hurry`: the grace period of stopping processes is over.
   */
  | { readonly type: 'Due' | 'Hurry' };

export type Action =
  | { readonly do: 'Start'; readonly job: Job }
  | { readonly do: 'Signal'; readonly stream: string; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly do: 'Warn'; readonly stream: string; readonly message: string };

export type Policy = SlicePolicy & {
  readonly backoffInitialMs: number;
  readonly backoffMaxMs: number;
  /** After a run of this length, earlier failures no longer count. */
  readonly backoffResetMs: number;
  /** The time from SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** Grace period for stopping all streams on shutdown. */
  readonly drainMs: number;
  /** Does an end with code 0 complete a finite job, or is it one more crash? */
  readonly onExit: 'restart' | 'complete';
};

/** `chance`, from 0 up to 1, spreads the restarts of streams that crashed together. */
export type Moment = { readonly now: number; readonly chance: number };

type OptionalState = StreamPhase | undefined;
type StreamStep = readonly [OptionalState, readonly Action[]];
type Context = Moment & { readonly policy: Policy; readonly stream: string };

export function stepStream(
  policy: Policy,
  stream: string,
  state: OptionalState,
  event: StreamEvent,
  at: Moment,
): StreamStep {
  const context: Context = { policy, stream, ...at };
  const { now } = at;
  switch (event.type) {
    case 'Wanted':
      return want(context, state, event.job);
    case 'Unwanted':
      return unwant(stream, state, now, event.graceMs);
    case 'Started':
      return state?.phase === 'Starting' ? started(state, now) : [state, []];
    case 'SpawnFailed':
      return spawnFailed(context, state, event.problem);
    case 'Exited':
      return exited(context, state, event);
    case 'Gone':
      return isEnding(state)
        ? follow(withLastLine(state.afterwards, event.said), now)
        : [state, []];
    case 'Due':
      return due(stream, state, now);
    case 'Hurry':
      return state?.phase === 'Stopping' ? kill(stream, state) : [state, []];
  }
}

/** When does this stream need a `Due` event, if nothing else happens? */
export function dueAt(state: StreamPhase): number | undefined {
  if (state.phase === 'BackingOff') return state.until;
  return state.phase === 'Stopping' ? state.killAt : undefined;
}

export type EndingPhase = Extract<StreamPhase, { readonly afterwards: Afterwards }>;
const isEnding = (state: OptionalState): state is EndingPhase =>
  state?.phase === 'Stopping' || state?.phase === 'Killing';

function want({ policy, stream, now }: Context, state: OptionalState, job: Job): StreamStep {
  if (state === undefined) return start(job, now);
  if (isEnding(state)) {
    const next = state.afterwards;
    const isPlanned = next.goal !== 'Forget' && isAsked(job, next.job);
    return [isPlanned ? state : { ...state, afterwards: { goal: 'Start', job } }, []];
  }
  if (isAsked(job, state.job)) return [state, []];
  return state.phase === 'Starting' || state.phase === 'Running'
    ? stop(stream, { goal: 'Start', job }, now, policy.stopGraceMs)
    : start(job, now);
}

function unwant(stream: string, state: OptionalState, now: number, graceMs: number): StreamStep {
  const afterwards: Afterwards = { goal: 'Forget' };
  switch (state?.phase) {
    case 'Starting':
    case 'Running':
      return stop(stream, afterwards, now, graceMs);
    case 'Stopping':
      return [{ ...state, afterwards, killAt: Math.min(state.killAt, now + graceMs) }, []];
    case 'Killing':
      return [{ ...state, afterwards }, []];
    default:
      return [undefined, []];
  }
}

function spawnFailed(context: Context, state: OptionalState, problem: string): StreamStep {
  const { stream, now } = context;
  if (isEnding(state)) return follow(state.afterwards, now);
  if (state?.phase !== 'Starting') return [state, []];
  const { job, proven } = state;
  const failures = state.failures + 1;
  const delay = delayAfter(failures, context);
  const message = toldMessage(`cannot be started: ${problem}`, job.parameters);
  const health = afterFailedStart(state.health, message, now);
  if (isGivenUp(health, context.policy))
    return [
      { phase: 'Failed', since: now, job, health },
      [warn(stream, `cannot be started: ${problem}; ${givenUpText(context.policy)}`)],
    ];
  return [
    { phase: 'BackingOff', since: now, job, failures, health, proven, until: now + delay },
    [warn(stream, `cannot be started: ${problem}; retrying in ${delay / 1000} s`)],
  ];
}

function started(
  state: Extract<StreamPhase, { readonly phase: 'Starting' }>,
  now: number,
): StreamStep {
  const { job, failures, health } = state;
  return [{ phase: 'Running', since: now, job, failures, health }, []];
}

function exited(context: Context, state: OptionalState, exit: Exited): StreamStep {
  if (state?.phase !== 'Running' && state?.phase !== 'Starting') return [state, []];
  const { policy, stream, now } = context;
  const { job } = state;
  const { code, how, isCompleted = code === 0 && endsByItself(policy) } = exit;
  // The children are stopped too: they may hold the source that the next process needs.
  if (isCompleted) return stop(stream, { goal: 'Complete', job }, now, policy.stopGraceMs);
  const ran = state.phase === 'Running' ? now - state.since : 0;
  const failures = ran >= policy.backoffResetMs ? 1 : state.failures + 1;
  const delayMs = delayAfter(failures, context);
  const health = afterEnd(state.health, toldMessage(endOf(exit), job.parameters), now, ran);
  const afterwards: Afterwards = isGivenUp(health, policy)
    ? { goal: 'GiveUp', job, health }
    : { goal: 'BackOff', job, failures, health, delayMs };
  const [next, actions] = stop(stream, afterwards, now, policy.stopGraceMs);
  const end = how ?? (code === null ? 'by a signal' : `with code ${code}`);
  const then =
    afterwards.goal === 'GiveUp' ? givenUpText(policy) : `restarting in ${delayMs / 1000} s`;
  return [next, [warn(stream, `ended ${end}, ${then}`), ...actions]];
}

const isGivenUp = ({ trouble }: Health, { maxRestarts }: Policy): boolean =>
  maxRestarts !== undefined && (trouble?.restarts ?? 0) >= maxRestarts;

const givenUpText = ({ maxRestarts = 0 }: Policy): string =>
  `giving up after ${maxRestarts} restarts (maxRestarts) until it is restarted, changed or moved`;

function endOf({ code, signal, message }: Exited): string {
  if (message !== undefined) return message;
  return code === null ? `signal ${signal ?? 'of another process'}` : `exit code ${code}`;
}

/** The line arrives after the exit: a process ends before all its output is read. */
function withLastLine(afterwards: Afterwards, said = ''): Afterwards {
  if (!isFailure(afterwards) || said === '') return afterwards;
  const { job, health } = afterwards;
  if (health.trouble === undefined) return afterwards;
  const message = toldMessage(`${health.trouble.message}: ${said}`, job.parameters);
  return { ...afterwards, health: { ...health, trouble: { ...health.trouble, message } } };
}

type Failure = Extract<Afterwards, { readonly health: Health }>;
const isFailure = (afterwards: Afterwards): afterwards is Failure =>
  afterwards.goal === 'BackOff' || afterwards.goal === 'GiveUp';

function follow(afterwards: Afterwards, now: number): StreamStep {
  switch (afterwards.goal) {
    case 'Forget':
      return [undefined, []];
    case 'Start':
      return start(afterwards.job, now);
    case 'Complete':
      return [{ phase: 'Completed', since: now, job: afterwards.job }, []];
    case 'GiveUp': {
      const { job, health } = afterwards;
      return [{ phase: 'Failed', since: now, job, health }, []];
    }
    case 'BackOff': {
      const { job, failures, health, delayMs } = afterwards;
      const until = now + delayMs;
      return [{ phase: 'BackingOff', since: now, job, failures, health, proven: true, until }, []];
    }
  }
}

function due(stream: string, state: OptionalState, now: number): StreamStep {
  if (state?.phase === 'Stopping' && state.killAt <= now) return kill(stream, state);
  if (state?.phase !== 'BackingOff' || state.until > now) return [state, []];
  const { job, failures, health, proven } = state;
  return start(job, now, { failures, health: startedAgain(health), proven });
}

const firstAttempt = { failures: 0, health: unharmed, proven: false };
const start = (job: Job, now: number, attempt: Omit<Attempt, 'job'> = firstAttempt): StreamStep => [
  { phase: 'Starting', since: now, job, ...attempt },
  [{ do: 'Start', job }],
];
const stop = (stream: string, afterwards: Afterwards, now: number, graceMs: number): StreamStep => [
  { phase: 'Stopping', since: now, afterwards, killAt: now + graceMs },
  [{ do: 'Signal', stream, signal: 'SIGTERM' }],
];
const kill = (stream: string, { since, afterwards }: EndingPhase): StreamStep => [
  { phase: 'Killing', since, afterwards },
  [{ do: 'Signal', stream, signal: 'SIGKILL' }],
];
const warn = (stream: string, message: string): Action => ({ do: 'Warn', stream, message });

const endsByItself = ({ onExit, completion }: Policy): boolean =>
  onExit === 'complete' || completion === 'Once';

/** Doubles with each failure; the jitter shortens it by up to a quarter. */
function delayAfter(failures: number, { policy, chance }: Context): number {
  const longest = Math.min(policy.backoffMaxMs, policy.backoffInitialMs * 2 ** (failures - 1));
  return Math.round(longest * (1 - chance / 4));
}

/**
 * Is exactly this job being consumed, as far as the worker can know? A completed job counts, and so
 * does one that crashed and starts again, or that was given up.
 */
export function isConsuming(state: StreamPhase, job: Job): boolean {
  if (isEnding(state)) {
    const next = state.afterwards;
    return (isFailure(next) || next.goal === 'Complete') && isAsked(job, next.job);
  }
  if (state.phase === 'Starting' || state.phase === 'BackingOff')
    return state.proven && isAsked(job, state.job);
  return isAsked(job, state.job);
}

/** May the stream be consumed? Until a stopped process has ended, it may. */
export const isHeld = (state: StreamPhase): boolean =>
  state.phase === 'Starting' || state.phase === 'BackingOff' ? state.proven : true;

/**
 * Is this the job that the slice requests? A token that is no longer in the slice requests no
 * restart.
 */
const isAsked = (asked: Job, it: Job): boolean => isDeepStrictEqual({ ...it, ...asked }, it);
