// Which slices count for probes and status? Those of the new publication, or, until it is written,
// those of the last one. How many streams have a worker with them, and why do others have none?
import { type Assignment, placedIn, type Slice } from '../../api/assignment.ts';
import type { AssignResult, Unassigned } from '../assign/result.ts';
import type { Stream } from '../streams/streams.ts';
import { reportedOnly } from '../workers/before.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { Published } from '../world.ts';
import type { Publication } from './publication.ts';

export type InForce = {
  readonly slices: ReadonlyMap<string, Slice>;
  readonly version: number;
  /** How many streams it assigns. */
  readonly given: number;
  readonly unassigned: readonly Unassigned[];
  /** While paused: published for a worker that is gone, so no worker runs them. */
  readonly stranded: ReadonlySet<string>;
  /** It differs from the desired state. */
  readonly isPending: boolean;
};

type Listed = { readonly streams: readonly Stream[] };

const none: ReadonlySet<string> = new Set();

/** If it is not written yet, `untilWritten` counts for the status of this decision. */
export const onceWritten = (
  { assignment }: Publication,
  { unassigned }: AssignResult,
): InForce => ({
  slices: assignment.workloads,
  version: assignment.version,
  given: [...assignment.workloads.values()].reduce(
    (total, slice) => total + placedIn(slice).length,
    0,
  ),
  unassigned,
  stranded: none,
  isPending: false,
});

const nothing: Assignment = { workloads: new Map(), version: 0 };

/** The last publication may name streams that are no longer wanted, and lack new ones. */
export function untilWritten(
  { assignment: { workloads, version } = nothing }: Published,
  { streams, assigned: { unassigned } }: Listed & { readonly assigned: AssignResult },
): InForce {
  const wanted = new Set(streams.map(({ name }) => name));
  const given = new Set(
    [...workloads.values()].flatMap((slice) => placedIn(slice).filter((job) => wanted.has(job))),
  );
  return {
    slices: workloads,
    version,
    given: given.size,
    unassigned: unassigned.filter(({ name }) => !given.has(name)),
    stranded: none,
    isPending: true,
  };
}

/** Nothing is published until the pause ends: a worker that goes takes its streams along. */
export function whilePaused(
  published: Published,
  { streams }: Listed,
  workers: readonly PoolWorker[],
  { unassigned }: AssignResult,
  isPending: boolean,
): InForce {
  const { workloads, version } = published.assignment ?? nothing;
  const staying = workers.filter((worker) => !isGone(worker));
  // A worker's word counts where no publication says what it has: where one does, it may report
  // what it has yet to end.
  const unsaid = staying.filter(({ from }) => !workloads.has(from));
  const given = new Set([
    ...staying.flatMap(({ from }) => published.placed.get(from) ?? []),
    ...[...reportedOnly(published, unsaid, streams).values()].flat(),
  ]);
  const lost = new Map(
    [...published.placed].flatMap(([worker, jobs]) =>
      jobs.filter((job) => !given.has(job)).map((job) => [job, worker] as const),
    ),
  );
  const failed = new Set(workers.filter(({ hasFailed }) => hasFailed).map(({ from }) => from));
  const refused = new Map(unassigned.map((it) => [it.name, it]));
  const without = streams.filter(({ name }) => !given.has(name));
  return {
    slices: workloads,
    version,
    given: streams.length - without.length,
    unassigned: without.map(({ name }) => {
      const message = pausedText(lost.get(name), failed);
      return refused.get(name) ?? { name, reason: 'Paused', message };
    }),
    stranded: new Set(without.flatMap(({ name }) => (lost.has(name) ? [name] : []))),
    isPending,
  };
}

/** It has no pod and none is expected, or it was away for so long that it counts as lost. */
const isGone = ({ isDesired, hasFailed, pod }: PoolWorker): boolean =>
  hasFailed || (!isDesired && (pod === undefined || pod.hasEnded));

function pausedText(worker: string | undefined, failed: ReadonlySet<string>): string {
  if (worker === undefined) return 'it is not published while the pool is paused';
  const what = failed.has(worker) ? 'has been away for too long' : 'is gone';
  return `${worker} ${what}, and the pool is paused`;
}
