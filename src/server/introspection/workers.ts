// What is shown of the workers of a pool, and of the streams of a worker?
import { placedIn, type Slice } from '../../api/assignment.ts';
import type { AssignedStream, ShownStream, Worker } from '../../api/introspection.ts';
import { own } from '../../api/objects.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { memoize } from '../../core/memoize.ts';
import { desiredIn } from '../../pool/decide.ts';
import type { DesiredState } from '../../pool/desired-state.ts';
import { toldStream } from '../../pool/plan/stream-list.ts';
import { downOf } from '../../pool/status/down.ts';
import { streamHealth } from '../../pool/status/stream-health.ts';
import { type WorkerStatus, workerStatuses } from '../../pool/status/worker-state.ts';
import { hasConverged, type PoolWorker } from '../../pool/workers/workers.ts';
import { unconfirmedMs } from '../../pool/world.ts';
import type { PoolSnapshot } from './pools.ts';

/** In the order of ordinals or slots. While nothing can be decided, the workers are not known. */
export function workersInOrder(snapshot: PoolSnapshot): readonly Worker[] {
  const desired = desiredIn(snapshot.decision);
  if (desired === undefined) return [];
  const statuses = workerStatuses(snapshot.world, desired);
  const { failingAt } = streamHealth(desired, snapshot.now);
  return desired.workers.map((member, index) => {
    const failing = failingAt.get(member.name) ?? 0;
    const worker = workerOf(snapshot, desired, member, statuses[index]);
    return failing === 0 ? worker : { ...worker, failing };
  });
}

export const workersOf = (snapshot: PoolSnapshot): readonly Worker[] =>
  workersInOrder(snapshot).toSorted((a, b) => (a.name < b.name ? -1 : 1));

function workerOf(
  { world }: PoolSnapshot,
  desired: DesiredState,
  member: PoolWorker,
  status: WorkerStatus | undefined,
): Worker {
  const { slices, spec } = desired;
  const slice = slices.get(member.name);
  const { pod } = member;
  const down = downOf(world, desired, member);
  // Of a worker that is down, `downWorkers` of the pool has the rule of its failover.
  const message = down?.why ?? status?.message;
  const isAwaited = slice !== undefined && !hasConverged(member, slice);
  return {
    name: member.name,
    ...(member.slot !== undefined && { slot: member.slot }),
    state: status?.state ?? 'Pending',
    ...(message !== undefined && { message }),
    ...(down !== undefined && { isDown: true }),
    isReady: pod?.isReady === true,
    streams: slice === undefined ? 0 : placedIn(slice).length,
    releasing: slice?.releasing?.length ?? 0,
    load: status?.load ?? 0,
    capacity: spec.workers.capacity,
    ...(slice !== undefined && { version: slice.version }),
    ...(status?.reportedVersion !== undefined && { reportedVersion: status.reportedVersion }),
    ...(isAwaited && {
      awaited: {
        version: slice.version,
        seconds: unconfirmedMs(world, pod) / 1000,
      },
    }),
  };
}

const sorted = memoize((slice: Slice): readonly string[] => [...placedIn(slice)].sort());
const streamsIn = (slice: Slice | undefined): readonly string[] =>
  slice === undefined ? [] : sorted(slice);

export type StreamIndex = {
  readonly names: readonly string[];
  readonly show: (name: string) => ShownStream;
};

/** Undefined: there is no worker of that name. Parameters of streams are not shown. */
export function streamsOf(snapshot: PoolSnapshot, worker: string): StreamIndex | undefined {
  const desired = desiredIn(snapshot.decision);
  const member = desired?.workers.find(({ name }) => name === worker);
  if (desired === undefined || member === undefined) return undefined;
  const shown = shownAt(snapshot, desired, member);
  return { names: streamsIn(shown.slice), show: (name) => streamOf(shown, name) };
}

type NamedStreams = {
  readonly assigned: readonly AssignedStream[];
  readonly leaving?: readonly string[];
};

/** Of a whole pool; the explanation of one stream always has its last words. */
const MOST_MESSAGES = 100;

/** By worker; undefined: there are more streams than `most`, or their names are too long. */
export function namedStreams(
  snapshot: PoolSnapshot,
  most: number,
  mostLength: number,
): ReadonlyMap<string, NamedStreams> | undefined {
  const desired = desiredIn(snapshot.decision);
  if (desired === undefined) return new Map();
  let [count, length] = [0, 0];
  for (const slice of desired.slices.values()) {
    const { jobs, suspended = [], releasing = [] } = slice;
    count += jobs.length + suspended.length + releasing.length;
    if (count > most) return undefined;
    for (const names of [jobs, suspended, releasing])
      for (const name of names) length += name.length;
    if (length > mostLength) return undefined;
  }
  let messages = 0;
  return new Map(
    desired.workers.map((member) => {
      const { assigned, ...rest } = namedStreamsOf(shownAt(snapshot, desired, member));
      const within = assigned.map(({ message, ...stream }) => {
        if (message === undefined) return stream;
        messages += 1;
        return messages > MOST_MESSAGES ? stream : { ...stream, message };
      });
      return [member.name, { assigned: within, ...rest }];
    }),
  );
}

/** A worker, with all that the state of its streams is read from. */
type Shown = {
  readonly member: PoolWorker;
  readonly slice: Slice | undefined;
  readonly status: SwarmPoolStatus | undefined;
  readonly isDown: boolean;
};

const shownAt = (
  { world }: Pick<PoolSnapshot, 'world'>,
  desired: DesiredState,
  member: PoolWorker,
): Shown => ({
  member,
  slice: desired.slices.get(member.name),
  status: world.pool.status,
  isDown: downOf(world, desired, member) !== undefined,
});

function namedStreamsOf(shown: Shown): NamedStreams {
  const { slice } = shown;
  const assigned = streamsIn(slice).map((name) => {
    const { worker: _, ...stream } = streamOf(shown, name);
    return stream;
  });
  return { assigned, ...(slice?.releasing !== undefined && { leaving: slice.releasing }) };
}

function streamOf(shown: Shown, name: string): ShownStream {
  const { member, slice } = shown;
  const { name: worker, answer } = member;
  const reported = answer?.ok === true ? answer.report.jobs : undefined;
  const weight = own(slice?.weights, name) ?? 0;
  return {
    name,
    worker,
    weight,
    ...(reported !== undefined && { isRunning: setOf(reported).has(name) }),
    ...(slice !== undefined && healthOf({ ...shown, slice }, name)),
  };
}

function healthOf(
  { member, slice, status, isDown }: Shown & { readonly slice: Slice },
  name: string,
): Pick<ShownStream, 'state' | 'restarts' | 'since' | 'message'> {
  if (slice.suspended?.includes(name) === true) return { state: 'Suspended' };
  if (isDown) return { state: 'Down' };
  const told = toldStream(member, slice, status, name);
  if (told === undefined || told.state === 'Running') return {};
  const { state, restarts, ...rest } = told;
  return { state, ...(restarts > 0 && { restarts }), ...rest };
}

const setOf = memoize((names: readonly string[]): ReadonlySet<string> => new Set(names));

type Owners = {
  readonly names: readonly string[];
  readonly of: ReadonlyMap<string, PoolWorker>;
  /** Streams without a worker, with what they would reserve. */
  readonly left: ReadonlyMap<string, number>;
};

const ownersIn = memoize((desired: DesiredState): Owners => {
  const of = new Map<string, PoolWorker>();
  for (const member of desired.workers) {
    const slice = desired.slices.get(member.name);
    if (slice === undefined) continue;
    for (const name of placedIn(slice)) of.set(name, member);
  }
  const left = new Map(
    desired.streams.flatMap(({ name, weight }) => (of.has(name) ? [] : [[name, weight] as const])),
  );
  return { names: [...of.keys(), ...left.keys()].sort(), of, left };
});

/** The streams of all workers and those without one, if their name contains this text. */
export function streamsLike(snapshot: PoolSnapshot, text: string): StreamIndex {
  const desired = desiredIn(snapshot.decision);
  const nothing: Owners = { names: [], of: new Map(), left: new Map() };
  const { names, of, left } = desired === undefined ? nothing : ownersIn(desired);
  const show = (name: string): ShownStream => {
    const found = of.get(name);
    return found === undefined || desired === undefined
      ? {
          ...{ name, worker: '', weight: left.get(name) ?? 0 },
          ...(desired?.completed.has(name) === true && { state: 'Completed' as const }),
        }
      : streamOf(shownAt(snapshot, desired, found), name);
  };
  return { names: text === '' ? names : names.filter((name) => name.includes(text)), show };
}
