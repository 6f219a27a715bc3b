// What do all streams of this worker do next, and which version may the worker confirm? Pure:
// (state, event, moment) -> [state, actions].
import type { Slice, SlicePolicy } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import {
  type Action,
  dueAt,
  isConsuming,
  isHeld,
  type Job,
  type Moment,
  type Policy,
  type ProcessEvent,
  type StreamEvent,
  type StreamPhase,
  stepStream,
} from './stream.ts';

export type SupervisorState = {
  /** The slice that this worker received last. */
  readonly wanted: {
    readonly jobs: ReadonlyMap<string, Job>;
    readonly version: number;
    readonly isPartial: boolean;
    readonly policy?: SlicePolicy | undefined;
  };
  /** The newest version that this worker has carried out. */
  readonly confirmed: number;
  readonly streams: ReadonlyMap<string, StreamPhase>;
  readonly draining: boolean;
};

export type SupervisorEvent =
  /** `isPartial`: the version has more jobs, which the worker may not start yet. */
  | { readonly type: 'Slice'; readonly slice: Slice; readonly isPartial?: boolean }
  | { readonly type: 'Process'; readonly stream: string; readonly event: ProcessEvent }
  /** `Shutdown`: the worker has to end; all streams stop, and no stream starts. */
  | { readonly type: 'Due' | 'Shutdown' | 'Hurry' };

export const idle: SupervisorState = {
  wanted: { jobs: new Map(), version: 0, isPartial: false },
  confirmed: 0,
  streams: new Map(),
  draining: false,
};

type SupervisorStep = readonly [SupervisorState, readonly Action[]];

export function supervise(
  policy: Policy,
  supervisor: SupervisorState,
  event: SupervisorEvent,
  at: Moment,
): SupervisorStep {
  const step = (from: SupervisorState, events: readonly StreamAndEvent[]): SupervisorStep =>
    stepStreams({ ...policy, ...from.wanted.policy }, from, events, at);
  const toAll = (streamEvent: StreamEvent): readonly StreamAndEvent[] =>
    [...supervisor.streams.keys()].map((stream) => [stream, streamEvent]);
  switch (event.type) {
    case 'Slice':
      return supervisor.draining
        ? [supervisor, []]
        : confirmIfTrue(step(...receive(policy, supervisor, event)));
    case 'Process':
      return confirmIfTrue(step(supervisor, [[event.stream, event.event]]));
    case 'Due':
      return confirmIfTrue(step(supervisor, toAll({ type: 'Due' })));
    case 'Shutdown': {
      const graceMs = Math.min(policy.stopGraceMs, policy.drainMs);
      return step({ ...supervisor, draining: true }, toAll({ type: 'Unwanted', graceMs }));
    }
    case 'Hurry':
      return step(supervisor, toAll({ type: 'Hurry' }));
  }
}

/** When does the supervisor need the next `Due` event? */
export function nextDue(supervisor: SupervisorState): number | undefined {
  const moments = [...supervisor.streams.values()].flatMap((state) => dueAt(state) ?? []);
  return moments.length === 0 ? undefined : moments.reduce((a, b) => Math.min(a, b));
}

/**
 * The version that is being carried out. A partial version does not count: its annotation is still
 * to come.
 */
export function underWay({ wanted, confirmed: done }: SupervisorState): number | undefined {
  return wanted.isPartial || wanted.version <= done ? undefined : wanted.version;
}

/** The streams that are consumed now, in the order of the slice; stopping streams come last. */
export function consumed({ streams, wanted }: SupervisorState): readonly string[] {
  return [...new Set([...wanted.jobs.keys(), ...streams.keys()])].filter((stream) => {
    const state = streams.get(stream);
    return state !== undefined && isHeld(state);
  });
}

type SliceEvent = Extract<SupervisorEvent, { readonly type: 'Slice' }>;
type StreamAndEvent = readonly [stream: string, event: StreamEvent];

/** Applies a slice: returns the new state, and an event for each stream. */
function receive(
  policy: Policy,
  supervisor: SupervisorState,
  { slice, isPartial = false }: SliceEvent,
): readonly [SupervisorState, readonly StreamAndEvent[]] {
  const jobs = jobsOf(slice);
  const next: SupervisorState = {
    ...supervisor,
    wanted: { jobs, version: slice.version, isPartial, policy: slice.policy },
    // The slice may have been edited by hand without a new version: its version is confirmed anew.
    confirmed: Math.min(supervisor.confirmed, slice.version - 1),
  };
  const events: StreamAndEvent[] = [];
  for (const stream of supervisor.streams.keys())
    if (!jobs.has(stream)) events.push([stream, { type: 'Unwanted', graceMs: policy.stopGraceMs }]);
  for (const [stream, job] of jobs) events.push([stream, { type: 'Wanted', job }]);
  return [next, events];
}

/** `releasing` is ignored: a stream that is being released is not among the jobs. */
function jobsOf(slice: Slice): ReadonlyMap<string, Job> {
  return new Map(
    slice.jobs.map((stream) => {
      const restart = own(slice.restarts, stream);
      return [
        stream,
        {
          stream,
          weight: own(slice.weights, stream) ?? 0,
          parameters: own(slice.parameters, stream) ?? {},
          ...(restart !== undefined && { restart }),
        },
      ];
    }),
  );
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
    const [state, needed] = stepStream(policy, stream, streams.get(stream), event, at);
    if (state === undefined) streams.delete(stream);
    else streams.set(stream, state);
    actions.push(...needed);
  }
  return [{ ...supervisor, streams }, actions];
}

/** A version is true when all streams that it removes have ended and all others have started. */
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
