// What is shown of the workers of a pool, and of the streams of one?
import type { Slice } from '../../api/assignment.ts';
import { foresee } from '../../core/pool/foresee.ts';
import type { Member } from '../../core/pool/members.ts';
import { outlook } from '../../core/pool/obstacles.ts';
import { hasConverged } from '../../core/pool/refresh/convergence.ts';
import { type WorkerStatus, workerStatuses } from '../../core/pool/report/status.ts';
import type { View } from '../../core/pool/view.ts';
import type { Snapshot } from './snapshots.ts';

export type Worker = {
  readonly name: string;
  readonly slot?: number;
  readonly state: WorkerStatus['state'];
  readonly message?: string;
  readonly isReady: boolean;
  readonly streams: number;
  readonly releasing: number;
  readonly load: number;
  readonly capacity: number;
  readonly version?: number;
  readonly reportedVersion?: number;
  /** What it has not confirmed, and for how long that has been so. */
  readonly awaited?: { readonly version: number; readonly seconds: number };
};

/** `isRunning`: by its own word; left out, it has not said. */
export type Stream = { readonly name: string; readonly worker: string; readonly weight: number; readonly isRunning?: boolean };

function viewOf({ world, now }: Snapshot): View | undefined {
  const look = outlook(world);
  return look.isClear ? foresee(world, look, now).view : undefined;
}

/** By name. Nothing while something is in the way: who the workers are is not known then. */
export function workersOf(snapshot: Snapshot): readonly Worker[] {
  const view = viewOf(snapshot);
  if (view === undefined) return [];
  const statuses = workerStatuses(snapshot.world, view);
  const shown = view.members.map((member, index) => workerOf(snapshot, view, member, statuses[index]));
  return shown.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function workerOf({ world }: Snapshot, { slices, spec }: View, member: Member, status: WorkerStatus | undefined): Worker {
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
    ...(isAwaited && { awaited: { version: slice.version, seconds: (pod === undefined ? 0 : (world.ages.sliceMs[pod.uid] ?? 0)) / 1000 } }),
  };
}

/** In the order of names; sorted once for each slice, since pages of the same list are asked for one after another. */
const sortedJobs = new WeakMap<Slice, readonly string[]>();

function jobsOf(slice: Slice): readonly string[] {
  const sorted = sortedJobs.get(slice) ?? [...slice.jobs].sort();
  sortedJobs.set(slice, sorted);
  return sorted;
}

export type StreamList = { readonly names: readonly string[]; readonly show: (name: string) => Stream };

/** Of one worker; undefined: there is none of that name. What a stream was given as parameters is not shown. */
export function streamsOf(snapshot: Snapshot, worker: string): StreamList | undefined {
  const view = viewOf(snapshot);
  const member = view?.members.find(({ name }) => name === worker);
  if (view === undefined || member === undefined) return undefined;
  const slice = view.slices.get(worker);
  return { names: slice === undefined ? [] : jobsOf(slice), show: (name) => streamOf(member, slice, name) };
}

function streamOf({ name: worker, answer }: Member, slice: Slice | undefined, name: string): Stream {
  const said = answer?.ok === true ? answer.report.jobs : undefined;
  const weights = slice?.weights ?? {};
  const weight = Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 0;
  return { name, worker, weight, ...(said !== undefined && { isRunning: runningSetOf(said).has(name) }) };
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

function runningSetOf(said: readonly string[]): ReadonlySet<string> {
  const known = sets.get(said) ?? new Set(said);
  sets.set(said, known);
  return known;
}

type Owners = { readonly names: readonly string[]; readonly of: ReadonlyMap<string, readonly [Member, Slice]> };

/** Sorted once for what was seen, as long as nothing newer is. */
const owners = new WeakMap<View, Owners>();

function ownersIn(view: View): Owners {
  const known = owners.get(view);
  if (known !== undefined) return known;
  const of = new Map<string, readonly [Member, Slice]>();
  for (const member of view.members) {
    const slice = view.slices.get(member.name);
    if (slice !== undefined) for (const job of slice.jobs) of.set(job, [member, slice]);
  }
  const found = { names: [...of.keys()].sort(), of };
  owners.set(view, found);
  return found;
}

/** Of all workers, those whose name contains this text. */
export function streamsLike(snapshot: Snapshot, text: string): StreamList {
  const view = viewOf(snapshot);
  const { names, of }: Owners = view === undefined ? { names: [], of: new Map() } : ownersIn(view);
  const show = (name: string): Stream => {
    const found = of.get(name);
    return found === undefined ? { name, worker: '', weight: 0 } : streamOf(...found, name);
  };
  return { names: text === '' ? names : names.filter((name) => name.includes(text)), show };
}
