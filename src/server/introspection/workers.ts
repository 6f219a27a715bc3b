// What is shown of the workers of a pool, and of the streams of one?

import type { Slice } from '../../api/assignment.ts';
import type { AssignedStream, ShownStream, Worker } from '../../api/introspection.ts';
import { desiredIn } from '../../pool/decision.ts';
import type { DesiredState } from '../../pool/desired-state.ts';
import { hasConverged } from '../../pool/refresh/convergence.ts';
import type { WorkerStatus } from '../../pool/status/worker-state.ts';
import { workerStatuses } from '../../pool/status.ts';
import type { PoolWorker } from '../../pool/workers/workers.ts';
import type { Snapshot } from './snapshots.ts';

/**
 * In the order of ordinals or slots. Nothing while something is in the way: who the workers are is
 * not known then.
 */
export function workersInOrder(snapshot: Snapshot): readonly Worker[] {
  const desired = desiredIn(snapshot.decision);
  if (desired === undefined) return [];
  const statuses = workerStatuses(snapshot.world, desired);
  return desired.workers.map((member, index) =>
    workerOf(snapshot, desired, member, statuses[index]),
  );
}

export const workersOf = (snapshot: Snapshot): readonly Worker[] =>
  workersInOrder(snapshot).toSorted((a, b) => (a.name < b.name ? -1 : 1));

function workerOf(
  { world }: Snapshot,
  { slices, spec }: DesiredState,
  member: PoolWorker,
  status: WorkerStatus | undefined,
): Worker {
  const slice = slices.get(member.name);
  const { pod } = member;
  const isAwaited = slice !== undefined && !hasConverged(member, slice);
  return {
    name: member.name,
    ...(member.slot !== undefined && { slot: member.slot }),
    state: status?.state ?? 'Pending',
    ...(status?.message !== undefined && { message: status.message }),
    isReady: pod?.isReady === true,
    streams: slice?.jobs.length ?? 0,
    releasing: slice?.releasing?.length ?? 0,
    load: status?.load ?? 0,
    capacity: spec.workers.capacity,
    ...(slice !== undefined && { version: slice.version }),
    ...(status?.reportedVersion !== undefined && { reportedVersion: status.reportedVersion }),
    ...(isAwaited && {
      awaited: {
        version: slice.version,
        seconds: (pod === undefined ? 0 : (world.ages.sliceMs[pod.uid] ?? 0)) / 1000,
      },
    }),
  };
}

/**
 * In the order of names; sorted once for each slice, since pages of the same list are asked for one
 * after another.
 */
const sortedJobs = new WeakMap<Slice, readonly string[]>();

function jobsOf(slice: Slice): readonly string[] {
  const sorted = sortedJobs.get(slice) ?? [...slice.jobs].sort();
  sortedJobs.set(slice, sorted);
  return sorted;
}

export type StreamIndex = {
  readonly names: readonly string[];
  readonly show: (name: string) => ShownStream;
};

/**
 * Of one worker; undefined: there is none of that name. What a stream was given as parameters is
 * not shown.
 */
export function streamsOf(snapshot: Snapshot, worker: string): StreamIndex | undefined {
  const desired = desiredIn(snapshot.decision);
  const member = desired?.workers.find(({ name }) => name === worker);
  if (desired === undefined || member === undefined) return undefined;
  const slice = desired.slices.get(worker);
  return {
    names: slice === undefined ? [] : jobsOf(slice),
    show: (name) => streamOf(member, slice, name),
  };
}

type Seen = { readonly assigned: readonly AssignedStream[]; readonly leaving?: readonly string[] };

/** By worker; undefined: they are more, or their names longer, than is wanted. */
export function seenStreamsOf(
  snapshot: Snapshot,
  most: number,
  mostLength: number,
): ReadonlyMap<string, Seen> | undefined {
  const desired = desiredIn(snapshot.decision);
  if (desired === undefined) return new Map();
  const slices = [...desired.slices.values()];
  if (
    slices.reduce((sum, { jobs, releasing = [] }) => sum + jobs.length + releasing.length, 0) > most
  )
    return undefined;
  const length = slices
    .flatMap(({ jobs, releasing = [] }) => [...jobs, ...releasing])
    .reduce((sum, name) => sum + name.length, 0);
  return length > mostLength
    ? undefined
    : new Map(
        desired.workers.map((member) => [
          member.name,
          seenOf(member, desired.slices.get(member.name)),
        ]),
      );
}

function seenOf(member: PoolWorker, slice: Slice | undefined): Seen {
  const assigned = (slice === undefined ? [] : jobsOf(slice)).map((name) => {
    const { worker: _, ...seen } = streamOf(member, slice, name);
    return seen;
  });
  return { assigned, ...(slice?.releasing !== undefined && { leaving: slice.releasing }) };
}

function streamOf(
  { name: worker, answer }: PoolWorker,
  slice: Slice | undefined,
  name: string,
): ShownStream {
  const said = answer?.ok === true ? answer.report.jobs : undefined;
  const weights = slice?.weights ?? {};
  const weight = Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 0;
  return {
    name,
    worker,
    weight,
    ...(said !== undefined && { isRunning: runningSetOf(said).has(name) }),
  };
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function runningSetOf(said: readonly string[]): ReadonlySet<string> {
  const known = sets.get(said) ?? new Set(said);
  sets.set(said, known);
  return known;
}

type Owners = {
  readonly names: readonly string[];
  readonly of: ReadonlyMap<string, readonly [PoolWorker, Slice]>;
  /** Of streams that nobody has: what they would reserve. */
  readonly left: ReadonlyMap<string, number>;
};

/** Sorted once for what was seen, as long as nothing newer is. */
const owners = new WeakMap<DesiredState, Owners>();

function ownersIn(desired: DesiredState): Owners {
  const known = owners.get(desired);
  if (known !== undefined) return known;
  const of = new Map<string, readonly [PoolWorker, Slice]>();
  for (const member of desired.workers) {
    const slice = desired.slices.get(member.name);
    if (slice !== undefined) for (const job of slice.jobs) of.set(job, [member, slice]);
  }
  const left = new Map(
    desired.streams.flatMap(({ name, weight }) => (of.has(name) ? [] : [[name, weight] as const])),
  );
  const found = { names: [...of.keys(), ...left.keys()].sort(), of, left };
  owners.set(desired, found);
  return found;
}

/** Of all workers, and of none, those whose name contains this text. */
export function streamsLike(snapshot: Snapshot, text: string): StreamIndex {
  const desired = desiredIn(snapshot.decision);
  const nothing: Owners = { names: [], of: new Map(), left: new Map() };
  const { names, of, left } = desired === undefined ? nothing : ownersIn(desired);
  const show = (name: string): ShownStream => {
    const found = of.get(name);
    return found === undefined
      ? { name, worker: '', weight: left.get(name) ?? 0 }
      : streamOf(...found, name);
  };
  return { names: text === '' ? names : names.filter((name) => name.includes(text)), show };
}
