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

export type Swarm = {
  /** What this worker was last told to consume. */
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
   * Partial: there is more in this version, which this worker may not act on yet; so it cannot
   * become true.
   */
  | { readonly type: 'Slice'; readonly slice: Slice; readonly isPartial?: boolean }
  | { readonly type: 'Process'; readonly stream: string; readonly event: ProcessEvent }
  | { readonly type: 'Due' }
  /** The worker has to go: everything stops, and nothing starts any more. */
  | { readonly type: 'Shutdown' }
  /** No more grace for what is being stopped. */
  | { readonly type: 'Hurry' };

export const idle: Swarm = {
  wanted: { jobs: new Map(), version: 0, isPartial: false },
  confirmed: 0,
  streams: new Map(),
  draining: false,
};

export function supervise(
  policy: Policy,
  swarm: Swarm,
  event: SupervisorEvent,
  at: Moment,
): readonly [Swarm, readonly Action[]] {
  switch (event.type) {
    case 'Slice':
      return swarm.draining ? [swarm, []] : receive(policy, swarm, event, at);
    case 'Process':
      return confirmed(toStreams(policy, swarm, [[event.stream, event.event]], at));
    case 'Due':
      return confirmed(toAll(policy, swarm, { type: 'Due' }, at));
    case 'Shutdown': {
      const graceMs = Math.min(policy.stopGraceMs, policy.drainMs);
      return toAll(policy, { ...swarm, draining: true }, { type: 'Unwanted', graceMs }, at);
    }
    case 'Hurry':
      return toAll(policy, swarm, { type: 'Hurry' }, at);
  }
}

/** When is the next `Due` to be sent? */
export function nextDue(swarm: Swarm): number | undefined {
  let next: number | undefined;
  for (const state of swarm.streams.values()) {
    const at = dueAt(state);
    if (at !== undefined && (next === undefined || at < next)) next = at;
  }
  return next;
}

/**
 * The version that is being carried out. One of which something is held back is still waited for,
 * not read.
 */
export function underWay({ wanted, confirmed: done }: Swarm): number | undefined {
  return wanted.isPartial || wanted.version <= done ? undefined : wanted.version;
}

/**
 * What is consumed at this moment, in the order of the slice; what is still being stopped comes
 * last.
 */
export function consumed(swarm: Swarm): readonly string[] {
  const held = (stream: string): boolean => {
    const state = swarm.streams.get(stream);
    return state !== undefined && isHeld(state);
  };
  const leaving = [...swarm.streams.keys()].filter((stream) => !swarm.wanted.jobs.has(stream));
  return [...swarm.wanted.jobs.keys(), ...leaving].filter(held);
}

type Received = Extract<SupervisorEvent, { readonly type: 'Slice' }>;

function receive(
  policy: Policy,
  swarm: Swarm,
  { slice, isPartial = false }: Received,
  at: Moment,
): readonly [Swarm, readonly Action[]] {
  const jobs = jobsOf(slice);
  // A slice that was changed by hand without a new version is not true yet either.
  const confirmedSoFar = Math.min(swarm.confirmed, slice.version - 1);
  const told: Swarm = {
    ...swarm,
    wanted: { jobs, version: slice.version, isPartial },
    confirmed: confirmedSoFar,
  };
  const unwanted = [...swarm.streams.keys()].filter((stream) => !jobs.has(stream));
  return confirmed(
    toStreams(
      policy,
      told,
      [
        ...unwanted.map(
          (stream): Told => [stream, { type: 'Unwanted', graceMs: policy.stopGraceMs }],
        ),
        ...[...jobs].map(([stream, job]): Told => [stream, { type: 'Wanted', job }]),
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

type Told = readonly [stream: string, event: StreamEvent];

const toAll = (
  policy: Policy,
  swarm: Swarm,
  event: StreamEvent,
  at: Moment,
): readonly [Swarm, readonly Action[]] =>
  toStreams(
    policy,
    swarm,
    [...swarm.streams.keys()].map((stream): Told => [stream, event]),
    at,
  );

function toStreams(
  policy: Policy,
  swarm: Swarm,
  events: readonly Told[],
  at: Moment,
): readonly [Swarm, readonly Action[]] {
  const streams = new Map(swarm.streams);
  const actions: Action[] = [];
  for (const [stream, event] of events) {
    const [state, wanted] = stepStream(policy, stream, streams.get(stream), event, at);
    if (state === undefined) streams.delete(stream);
    else streams.set(stream, state);
    actions.push(...wanted);
  }
  return [{ ...swarm, streams }, actions];
}

/**
 * A version is confirmed when it is true: all that was taken away has gone, and all that was given
 * has started.
 */
function confirmed([swarm, actions]: readonly [Swarm, readonly Action[]]): readonly [
  Swarm,
  readonly Action[],
] {
  const { jobs, version, isPartial } = swarm.wanted;
  if (
    swarm.draining ||
    isPartial ||
    swarm.confirmed === version ||
    swarm.streams.size !== jobs.size
  )
    return [swarm, actions];
  const isTrue = [...jobs].every(([stream, job]) => {
    const state = swarm.streams.get(stream);
    return state !== undefined && isConsuming(state, job);
  });
  return [isTrue ? { ...swarm, confirmed: version } : swarm, actions];
}
