// What do all streams of this worker do next, and which version may it confirm? Pure: (state,
// event, moment) -> [state, actions].
import type { Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import {
  type Action,
  dueAt,
  isConsuming,
  isHeld,
  type Job,
  type Moment,
  type Policy,
  type StreamEvent,
  type StreamState,
  stepStream,
} from './stream.ts';

export type SupervisorState = {
  /** Of the slice that this worker last received. */
  readonly wanted: {
    readonly jobs: ReadonlyMap<string, Job>;
    readonly version: number;
    readonly isPartial: boolean;
  };
  /** The newest version that became true here. */
  readonly confirmed: number;
  readonly streams: ReadonlyMap<string, StreamState>;
  readonly draining: boolean;
};

export type ProcessEvent = Extract<
  StreamEvent,
  { readonly type: 'Started' | 'SpawnFailed' | 'Exited' | 'Gone' }
>;

export type SupervisorEvent =
  /**
   * Partial: this version has more jobs, which this worker may not start yet; so it cannot be
   * confirmed.
   */
  | { readonly type: 'Slice'; readonly slice: Slice; readonly isPartial?: boolean }
  | { readonly type: 'Process'; readonly stream: string; readonly event: ProcessEvent }
  | { readonly type: 'Due' }
  /** The worker has to go: everything stops, and nothing starts any more. */
  | { readonly type: 'Shutdown' }
  /** No more grace for what is being stopped. */
  | { readonly type: 'Hurry' };

export const idle: SupervisorState = {
  wanted: { jobs: new Map(), version: 0, isPartial: false },
  confirmed: 0,
  streams: new Map(),
  draining: false,
};

export type SupervisorStep = readonly [SupervisorState, readonly Action[]];

export function supervise(
  policy: Policy,
  supervisor: SupervisorState,
  event: SupervisorEvent,
  at: Moment,
): SupervisorStep {
  switch (event.type) {
    case 'Slice':
      return supervisor.draining ? [supervisor, []] : receive(policy, supervisor, event, at);
    case 'Process':
      return confirmIfTrue(stepStreams(policy, supervisor, [[event.stream, event.event]], at));
    case 'Due':
      return confirmIfTrue(stepAll(policy, supervisor, { type: 'Due' }, at));
    case 'Shutdown': {
      const graceMs = Math.min(policy.stopGraceMs, policy.drainMs);
      return stepAll(policy, { ...supervisor, draining: true }, { type: 'Unwanted', graceMs }, at);
    }
    case 'Hurry':
      return stepAll(policy, supervisor, { type: 'Hurry' }, at);
  }
}

/** When is the next `Due` to be sent? */
export function nextDue(supervisor: SupervisorState): number | undefined {
  let next: number | undefined;
  for (const state of supervisor.streams.values()) {
    const at = dueAt(state);
    if (at !== undefined && (next === undefined || at < next)) next = at;
  }
  return next;
}

/**
 * The version that is being carried out. One of which something is held back is still waited for,
 * not read.
 */
export function underWay({ wanted, confirmed: done }: SupervisorState): number | undefined {
  return wanted.isPartial || wanted.version <= done ? undefined : wanted.version;
}

/**
 * What is consumed at this moment, in the order of the slice; what is still being stopped comes
 * last.
 */
export function consumed(supervisor: SupervisorState): readonly string[] {
  const held = (stream: string): boolean => {
    const state = supervisor.streams.get(stream);
    return state !== undefined && isHeld(state);
  };
  const leaving = [...supervisor.streams.keys()].filter(
    (stream) => !supervisor.wanted.jobs.has(stream),
  );
  return [...supervisor.wanted.jobs.keys(), ...leaving].filter(held);
}

type SliceEvent = Extract<SupervisorEvent, { readonly type: 'Slice' }>;

function receive(
  policy: Policy,
  supervisor: SupervisorState,
  { slice, isPartial = false }: SliceEvent,
  at: Moment,
): SupervisorStep {
  const jobs = jobsOf(slice);
  // A slice that was changed by hand without a new version is not true yet either.
  const confirmedSoFar = Math.min(supervisor.confirmed, slice.version - 1);
  const next: SupervisorState = {
    ...supervisor,
    wanted: { jobs, version: slice.version, isPartial },
    confirmed: confirmedSoFar,
  };
  const unwanted = [...supervisor.streams.keys()].filter((stream) => !jobs.has(stream));
  return confirmIfTrue(
    stepStreams(
      policy,
      next,
      [
        ...unwanted.map(
          (stream): StreamAndEvent => [stream, { type: 'Unwanted', graceMs: policy.stopGraceMs }],
        ),
        ...[...jobs].map(([stream, job]): StreamAndEvent => [stream, { type: 'Wanted', job }]),
      ],
      at,
    ),
  );
}

/** `releasing` needs no care of its own: a stream that is released is no job any more. */
function jobsOf(slice: Slice): ReadonlyMap<string, Job> {
  return new Map(
    slice.jobs.map((stream) => [
      stream,
      {
        stream,
        weight: own(slice.weights, stream) ?? 0,
        parameters: own(slice.parameters, stream) ?? {},
      },
    ]),
  );
}

type StreamAndEvent = readonly [stream: string, event: StreamEvent];

function stepAll(
  policy: Policy,
  supervisor: SupervisorState,
  event: StreamEvent,
  at: Moment,
): SupervisorStep {
  const events = [...supervisor.streams.keys()].map((stream) => [stream, event] as const);
  return stepStreams(policy, supervisor, events, at);
}

function stepStreams(
  policy: Policy,
  supervisor: SupervisorState,
  events: readonly StreamAndEvent[],
  at: Moment,
): SupervisorStep {
  const streams = new Map(supervisor.streams);
  const actions: Action[] = [];
  for (const [stream, event] of events) {
    const [state, wanted] = stepStream(policy, stream, streams.get(stream), event, at);
    if (state === undefined) streams.delete(stream);
    else streams.set(stream, state);
    actions.push(...wanted);
  }
  return [{ ...supervisor, streams }, actions];
}

/**
 * A version is confirmed when it is true: all that was taken away has gone, and all that was given
 * has started.
 */
function confirmIfTrue([supervisor, actions]: SupervisorStep): SupervisorStep {
  const { jobs, version, isPartial } = supervisor.wanted;
  if (
    supervisor.draining ||
    isPartial ||
    supervisor.confirmed === version ||
    supervisor.streams.size !== jobs.size
  )
    return [supervisor, actions];
  const isTrue = [...jobs].every(([stream, job]) => {
    const state = supervisor.streams.get(stream);
    return state !== undefined && isConsuming(state, job);
  });
  return [isTrue ? { ...supervisor, confirmed: version } : supervisor, actions];
}
