// What does one stream do next? A pure state machine: (state, event, moment) -> [state, actions];
// undefined: nothing of the stream is left.
import type { StreamParameters } from '../../api/assignment.ts';

/** A stream to consume, and how. With another weight or parameter its process starts anew. */
export type Job = {
  readonly stream: string;
  readonly weight: number;
  readonly parameters: StreamParameters;
};

/** What follows when the process that is being stopped is gone, with all that it started. */
type Afterwards =
  | { readonly goal: 'Forget' }
  | { readonly goal: 'Start'; readonly job: Job }
  | {
      readonly goal: 'BackOff';
      readonly job: Job;
      readonly failures: number;
      readonly delayMs: number;
    }
  | { readonly goal: 'Complete'; readonly job: Job };

/** `proven`: a process of this very job has run before, so that the stream counts as started. */
export type StreamState =
  | {
      readonly phase: 'Starting';
      readonly job: Job;
      readonly failures: number;
      readonly proven: boolean;
    }
  | {
      readonly phase: 'Running';
      readonly job: Job;
      readonly failures: number;
      readonly since: number;
    }
  | { readonly phase: 'Stopping'; readonly afterwards: Afterwards; readonly killAt: number }
  | { readonly phase: 'Killing'; readonly afterwards: Afterwards }
  | {
      readonly phase: 'BackingOff';
      readonly job: Job;
      readonly failures: number;
      readonly proven: boolean;
      readonly until: number;
    }
  | { readonly phase: 'Completed'; readonly job: Job };

export type StreamEvent =
  | { readonly type: 'Wanted'; readonly job: Job }
  | { readonly type: 'Unwanted'; readonly graceMs: number }
  | { readonly type: 'Started' }
  | { readonly type: 'SpawnFailed'; readonly problem: string }
  /**
   * What ran has ended; what it started may still run. `code` is null when a signal ended it; `how`
   * says what a code cannot.
   */
  | { readonly type: 'Exited'; readonly code: number | null; readonly how?: string }
  /** Nothing of all that it started is left. */
  | { readonly type: 'Gone' }
  | { readonly type: 'Due' }
  | { readonly type: 'Hurry' };

export type Action =
  | { readonly do: 'Start'; readonly job: Job }
  | { readonly do: 'Signal'; readonly stream: string; readonly signal: 'SIGTERM' | 'SIGKILL' }
  | { readonly do: 'Warn'; readonly stream: string; readonly message: string };

export type Policy = {
  readonly backoffInitialMs: number;
  readonly backoffMaxMs: number;
  /** A run of this length makes the failures before it forgotten. */
  readonly backoffResetMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopGraceMs: number;
  /** The same for all streams together when the worker itself ends. */
  readonly drainMs: number;
  /** Is an end with code 0 the end of a finite job, or one more crash? */
  readonly onExit: 'restart' | 'complete';
};

/**
 * `chance`, from 0 up to 1: how much of the jitter of a wait is used. Streams that crash together
 * need not start together.
 */
export type Moment = { readonly now: number; readonly chance: number };

export type StreamStep = readonly [StreamState | undefined, readonly Action[]];

export function stepStream(
  policy: Policy,
  stream: string,
  state: StreamState | undefined,
  event: StreamEvent,
  at: Moment,
): StreamStep {
  const { now } = at;
  switch (event.type) {
    case 'Wanted':
      return want(policy, stream, state, event.job, now);
    case 'Unwanted':
      return unwant(stream, state, now + event.graceMs);
    case 'Started':
      if (state?.phase !== 'Starting') return [state, []];
      return [{ phase: 'Running', job: state.job, failures: state.failures, since: now }, []];
    case 'SpawnFailed':
      return spawnFailed(policy, stream, state, event.problem, at);
    case 'Exited':
      return exited(policy, stream, state, event, at);
    case 'Gone':
      return state?.phase === 'Stopping' || state?.phase === 'Killing'
        ? follow(state.afterwards, now)
        : [state, []];
    case 'Due':
      return due(stream, state, now);
    case 'Hurry':
      return state?.phase === 'Stopping' ? kill(stream, state.afterwards) : [state, []];
  }
}

/** When does this stream need a `Due`, if nothing else happens? */
export function dueAt(state: StreamState): number | undefined {
  if (state.phase === 'BackingOff') return state.until;
  return state.phase === 'Stopping' ? state.killAt : undefined;
}

function want(
  policy: Policy,
  stream: string,
  state: StreamState | undefined,
  job: Job,
  now: number,
): StreamStep {
  switch (state?.phase) {
    case undefined:
      return start(job);
    case 'Starting':
    case 'Running':
      return isSameJob(state.job, job)
        ? [state, []]
        : stop(stream, { goal: 'Start', job }, now + policy.stopGraceMs);
    case 'BackingOff':
    case 'Completed':
      return isSameJob(state.job, job) ? [state, []] : start(job);
    case 'Stopping':
    case 'Killing': {
      const next = state.afterwards;
      return next.goal !== 'Forget' && isSameJob(next.job, job)
        ? [state, []]
        : [{ ...state, afterwards: { goal: 'Start', job } }, []];
    }
  }
}

function unwant(stream: string, state: StreamState | undefined, killAt: number): StreamStep {
  const afterwards: Afterwards = { goal: 'Forget' };
  switch (state?.phase) {
    case 'Starting':
    case 'Running':
      return stop(stream, afterwards, killAt);
    case 'Stopping':
      return [{ ...state, afterwards, killAt: Math.min(state.killAt, killAt) }, []];
    case 'Killing':
      return [{ ...state, afterwards }, []];
    case 'BackingOff':
    case 'Completed':
    case undefined:
      return [undefined, []];
  }
}

function spawnFailed(
  policy: Policy,
  stream: string,
  state: StreamState | undefined,
  problem: string,
  at: Moment,
): StreamStep {
  if (state?.phase === 'Stopping' || state?.phase === 'Killing')
    return follow(state.afterwards, at.now);
  if (state?.phase !== 'Starting') return [state, []];
  const failures = state.failures + 1;
  const delay = delayAfter(policy, failures, at.chance);
  const message = `cannot be started: ${problem}; again in ${delay / 1000} s`;
  return [
    { phase: 'BackingOff', job: state.job, failures, proven: state.proven, until: at.now + delay },
    [warn(stream, message)],
  ];
}

function exited(
  policy: Policy,
  stream: string,
  state: StreamState | undefined,
  end: Ended,
  { now, chance }: Moment,
): StreamStep {
  if (state?.phase !== 'Running' && state?.phase !== 'Starting') return [state, []];
  // Its child processes are stopped as it would have been: they may hold the source that the next
  // process needs.
  const killAt = now + policy.stopGraceMs;
  if (end.code === 0 && policy.onExit === 'complete')
    return stop(stream, { goal: 'Complete', job: state.job }, killAt);
  const ran = state.phase === 'Running' ? now - state.since : 0;
  const failures = ran >= policy.backoffResetMs ? 1 : state.failures + 1;
  const delayMs = delayAfter(policy, failures, chance);
  const [next, actions] = stop(
    stream,
    { goal: 'BackOff', job: state.job, failures, delayMs },
    killAt,
  );
  return [
    next,
    [warn(stream, `ended ${howOf(end)}, starts again in ${delayMs / 1000} s`), ...actions],
  ];
}

type Ended = Extract<StreamEvent, { readonly type: 'Exited' }>;
const howOf = ({ code, how }: Ended): string =>
  how ?? (code === null ? 'by a signal' : `with code ${code}`);

function follow(afterwards: Afterwards, now: number): StreamStep {
  switch (afterwards.goal) {
    case 'Forget':
      return [undefined, []];
    case 'Start':
      return start(afterwards.job);
    case 'Complete':
      return [{ phase: 'Completed', job: afterwards.job }, []];
    case 'BackOff': {
      const { job, failures, delayMs } = afterwards;
      return [{ phase: 'BackingOff', job, failures, proven: true, until: now + delayMs }, []];
    }
  }
}

function due(stream: string, state: StreamState | undefined, now: number): StreamStep {
  if (state?.phase === 'Stopping' && state.killAt <= now) return kill(stream, state.afterwards);
  if (state?.phase !== 'BackingOff' || state.until > now) return [state, []];
  return [
    { phase: 'Starting', job: state.job, failures: state.failures, proven: state.proven },
    [{ do: 'Start', job: state.job }],
  ];
}

const start = (job: Job): StreamStep => [
  { phase: 'Starting', job, failures: 0, proven: false },
  [{ do: 'Start', job }],
];
const stop = (stream: string, afterwards: Afterwards, killAt: number): StreamStep => [
  { phase: 'Stopping', afterwards, killAt },
  [{ do: 'Signal', stream, signal: 'SIGTERM' }],
];
const kill = (stream: string, afterwards: Afterwards): StreamStep => [
  { phase: 'Killing', afterwards },
  [{ do: 'Signal', stream, signal: 'SIGKILL' }],
];
const warn = (stream: string, message: string): Action => ({ do: 'Warn', stream, message });

/** The wait doubles with each failure; the jitter takes off up to a quarter. */
function delayAfter(policy: Policy, failures: number, chance: number): number {
  const longest = Math.min(policy.backoffMaxMs, policy.backoffInitialMs * 2 ** (failures - 1));
  return Math.round(longest * (1 - chance / 4));
}

/**
 * Is exactly this job being consumed, as far as the runtime can tell? A completed one is, and so is
 * one that crashed and starts again.
 */
export function isConsuming(state: StreamState, job: Job): boolean {
  switch (state.phase) {
    case 'Running':
    case 'Completed':
      return isSameJob(state.job, job);
    case 'Starting':
    case 'BackingOff':
      return state.proven && isSameJob(state.job, job);
    case 'Stopping':
    case 'Killing': {
      const next = state.afterwards;
      return (next.goal === 'BackOff' || next.goal === 'Complete') && isSameJob(next.job, job);
    }
  }
}

/**
 * May it be consuming? Until a stopped process is really gone, it may.
 */
export const isHeld = (state: StreamState): boolean =>
  state.phase === 'Starting' || state.phase === 'BackingOff' ? state.proven : true;

function isSameJob(a: Job, b: Job): boolean {
  if (a === b) return true;
  const keys = Object.keys(a.parameters);
  return (
    a.weight === b.weight &&
    keys.length === Object.keys(b.parameters).length &&
    keys.every((key) => Object.hasOwn(b.parameters, key) && a.parameters[key] === b.parameters[key])
  );
}
