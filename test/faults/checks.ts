// Did a cell keep the promises that hold under every fault?
import { ANYTHING } from '../../src/api/assignment.ts';
import type { Cell, PodStates } from './cell.ts';
import type { Publication } from './publications.ts';
import { untilQuiet } from './quiet.ts';

/** The state that the cell must reach. */
export type Goal = {
  readonly streams: readonly string[];
  readonly workers: number;
  /** Streams that were in the list all the time, while there was a worker. */
  readonly kept: readonly string[];
};

/** After the last fault the cell must be healthy within this time. */
const CONVERGED_SECONDS = 30;

export async function checkCell(cell: Cell, goal: Goal, before: PodStates): Promise<void> {
  await cell.pool.converged(goal.streams, goal.workers, CONVERGED_SECONDS);
  await untilQuiet(cell);
  // A correct state must have stayed correct.
  await cell.pool.converged(goal.streams, goal.workers, 1);
  const problems = [
    ...(await cell.violations()),
    ...cell.doubled().map((stream) => `${stream} had two owners at the same time`),
    ...fallen(cell.publications.all.filter(({ isRestored }) => !isRestored)),
    ...shared(cell.publications.all),
    ...lost(cell.publications.all, goal.kept),
    ...cell.publications.unreadable.map((text) => `a publication cannot be read: ${text}`),
    ...disturbed(cell, before, await cell.podStates()),
    ...cell.replicas.flatMap((replica) => replica.complaints()),
  ];
  if (problems.length > 0) throw new Error(`${cell.namespace}:\n  ${problems.join('\n  ')}`);
}

function fallen(publications: readonly Publication[]): readonly string[] {
  return publications.flatMap(({ version }, index) => {
    const last = publications[index - 1]?.version ?? 0;
    return version < last ? [`version ${version} was published after ${last}`] : [];
  });
}

/** No publication assigns a stream to two workers. */
function shared(publications: readonly Publication[]): readonly string[] {
  return publications.flatMap(({ version, slices }) => {
    const jobs = [...slices.values()].flatMap((slice) => slice.jobs);
    return jobs.length === new Set(jobs).size
      ? []
      : [`version ${version} assigns a stream to two workers: ${jobs.sort().join()}`];
  });
}

/**
 * In every publication each of them has a worker; or, in Exclusive, is still being released by one.
 */
function lost(publications: readonly Publication[], kept: readonly string[]): readonly string[] {
  return publications.flatMap(({ version, slices }) => {
    const there = new Set(
      [...slices.values()].flatMap(({ jobs, releasing = [] }) => [...jobs, ...releasing]),
    );
    if (there.has(ANYTHING)) return [];
    return kept
      .filter((stream) => !there.has(stream))
      .map((stream) => `version ${version} has lost ${stream}`);
  });
}

/**
 * A stream with the same parameters, at the same worker all the time, in a pod that no fault hit:
 * its process must not have ended.
 */
function disturbed(cell: Cell, before: PodStates, after: PodStates): readonly string[] {
  const since = cell.publications.all.slice(Math.max(0, before.published - 1));
  return [...before.starts].flatMap(([stream, count]) => {
    const askers = new Set(since.map(({ slices }) => askerOf(stream, slices)));
    const [asker] = askers;
    const worker = asker?.split(' ', 1)[0] ?? '';
    const isSteady =
      askers.size === 1 &&
      before.pods.has(worker) &&
      before.pods.get(worker) === after.pods.get(worker);
    return isSteady && after.starts.get(stream) !== count
      ? [`${stream} was restarted, though nothing about it had changed`]
      : [];
  });
}

function askerOf(stream: string, slices: Publication['slices']): string | undefined {
  const found = [...slices].find(([, { jobs }]) => jobs.includes(stream));
  if (found === undefined) return undefined;
  const [worker, { parameters, weights }] = found;
  return `${worker} ${JSON.stringify([parameters?.[stream], weights?.[stream]])}`;
}
