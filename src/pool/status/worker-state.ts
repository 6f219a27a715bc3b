// What does the status say about a worker: which state does it have, and why?
import { ANYTHING, digestOf, hasJobs, type Slice } from '../../api/assignment.ts';
import type { WorkerReport } from '../../api/report.ts';
import type { SwarmPoolSpec, SwarmPoolStatus } from '../../api/validate.ts';
import { memoize } from '../../core/memoize.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { portOf } from '../workers/probes.ts';
import { notedOn } from '../workers/seats.ts';
import { takeoverText } from '../workers/takeover.ts';
import {
  hasConverged,
  isAsDesired,
  isAtWork,
  loadOf,
  type PoolWorker,
  runsJust,
} from '../workers/workers.ts';
import { type PoolWorld, unconfirmedMs } from '../world.ts';
import { absenceText, causeOf, downOf } from './down.ts';

/** Keeps the whole status below 256 KiB. */
const MOST_NAMES_BYTES = 128 * 1024;

export type WorkerStatus = NonNullable<SwarmPoolStatus['workers']>[number];

/** Of all workers, or of the first ones. */
export const workerStatuses = (
  world: PoolWorld,
  desired: DesiredState,
  most = desired.workers.length,
): readonly WorkerStatus[] =>
  desired.workers.slice(0, most).map((worker) => workerStatus(world, desired, worker));

function workerStatus(world: PoolWorld, desired: DesiredState, worker: PoolWorker): WorkerStatus {
  const { name, slot, answer } = worker;
  const slice = desired.slices.get(name);
  const reportedVersion = answer?.ok === true ? answer.report.version : undefined;
  return {
    name,
    ...(slot !== undefined && { slot }),
    jobs: slice?.jobs ?? [],
    load: loadOf(slice),
    ...(slice !== undefined && { version: slice.version }),
    ...(reportedVersion !== undefined && { reportedVersion }),
    ...stateOf(world, desired, worker, slice),
  };
}

/** Omits names beyond the limit; a total and a digest stand for the others. */
export function withinBounds(
  workers: readonly WorkerStatus[],
  slices: DesiredState['slices'],
): readonly WorkerStatus[] {
  if (workers.reduce((sum, { jobs = [] }) => sum + bytesOf(jobs), 0) <= MOST_NAMES_BYTES)
    return workers;
  const part = MOST_NAMES_BYTES / workers.length;
  return workers.map((worker) => {
    const { jobs = [] } = worker;
    const slice = slices.get(worker.name);
    return slice === undefined || bytesOf(jobs) <= part
      ? worker
      : { ...worker, ...shortened(slice, jobs, part) };
  });
}

type Shortened = Pick<WorkerStatus, 'digest' | 'jobs' | 'total'>;

const shortenedTo = memoize((_: Slice) => new Map<number, Shortened>());

function shortened(slice: Slice, jobs: readonly string[], part: number): Shortened {
  const known = shortenedTo(slice).get(part);
  if (known !== undefined) return known;
  let room = part;
  const shown = jobs.filter((job) => {
    room -= bytesIn(job);
    return room >= 0;
  });
  const made = { jobs: shown, total: jobs.length, digest: digestOf(slice) };
  // Kept only for the current number of workers.
  shortenedTo(slice).clear();
  shortenedTo(slice).set(part, made);
  return made;
}

const bytesOf = memoize((jobs: readonly string[]): number =>
  jobs.reduce((sum, job) => sum + bytesIn(job), 0),
);

/** Includes quotes, comma and indentation. */
const bytesIn = (name: string): number =>
  (isPlain.test(name) ? name.length : new TextEncoder().encode(name).length) + 8;

const isPlain = /^[ -~]*$/;

function stateOf(
  world: PoolWorld,
  desired: DesiredState,
  worker: PoolWorker,
  slice: Slice | undefined,
): Pick<WorkerStatus, 'state' | 'message'> {
  const { spec, availability } = desired;
  const { pod, hasFailed, key } = worker;
  if (hasFailed) {
    const cause = causeOf(worker, availability);
    const since = availability.failover.givenUp.has(key) ? 'never Ready yet' : 'away for too long';
    const passing = hasJobs(slice) ? 'will move to other workers' : 'moved to other workers';
    const why = cause === undefined ? '' : ` (${cause})`;
    return { state: 'Missing', message: `${since}${why}; its streams ${passing}` };
  }
  if (pod?.hasEnded === true)
    return { state: 'Missing', message: awayText(world, desired, worker) };
  if (slice?.releasing !== undefined && slice.releasing.length > 0 && pod !== undefined)
    return { state: 'Releasing', message: releasingText(worker, slice, slice.releasing) };
  if (isAsDesired(worker, slice)) return { state: worker.isCordoned ? 'Cordoned' : 'Converged' };
  if (!worker.isDesired && pod !== undefined)
    return { state: 'Releasing', message: leavingText(worker, slice) };
  if (!isAtWork(pod)) {
    const isMissing = pod === undefined && worker.hasJoined;
    return {
      state: isMissing ? 'Missing' : 'Pending',
      message: awayText(world, desired, worker),
    };
  }
  if (worker.isOutdated)
    return { state: 'Refreshing', message: 'its pod is waiting to be replaced' };
  if (unconfirmedMs(world, pod) < spec.refresh.timeoutSeconds * 1000)
    return { state: 'Refreshing' };
  return { state: 'Stuck', message: stuckText(worker, slice, spec) };
}

/** For a worker that is down, the text names the rule of the takeover, not the remaining time. */
function awayText(world: PoolWorld, desired: DesiredState, worker: PoolWorker): string {
  const down = downOf(world, desired, worker);
  return down === undefined
    ? absenceText(worker, desired.availability)
    : `${down.why}; ${takeoverText(down.takeover)}`;
}

/** Exclusive: no other worker gets the streams that it has not released. */
function releasingText(worker: PoolWorker, slice: Slice, kept: readonly string[]): string {
  const ending = worker.pod?.isTerminating === true ? '; its pod is terminating' : '';
  const silence = `${unanswered(worker)}${ending}`;
  if (kept.includes(ANYTHING))
    return `may still start streams that it was assigned before the assignment was lost${silence}`;
  return hasConverged(worker, slice)
    ? `has released ${listed(kept)}, which is not published yet`
    : `has not confirmed that it released ${listed(kept)}${silence}`;
}

/** The worker should run nothing, and has not confirmed that. */
function leavingText(worker: PoolWorker, slice: Slice | undefined): string {
  const { isFormer, isProbed, pod } = worker;
  if (isFormer && hasJobs(slice))
    return 'no longer belongs to a target; it keeps its streams until a worker of the target is Ready';
  const what =
    pod?.isTerminating === true
      ? 'its pod is terminating'
      : isFormer
        ? 'no longer belongs to a target'
        : 'it is being emptied before its removal';
  return isProbed
    ? `${what}; it has not confirmed that it runs nothing${unanswered(worker)}`
    : `${what}; it cannot report what it runs (probe.type None): its pod must be replaced`;
}

const unanswered = ({ answer }: PoolWorker): string =>
  answer?.ok === false ? `; it does not answer (${answer.reason})` : '';

function stuckText(
  { pod, answer }: PoolWorker,
  slice: Slice | undefined,
  { refresh, probe }: SwarmPoolSpec,
): string {
  const wants = `version ${slice?.version ?? 0} is not confirmed after ${refresh.timeoutSeconds} s`;
  const { port } = probe.httpGet;
  if (pod !== undefined && portOf(pod, port) === undefined)
    return `${wants}: its pod has no port named ${port} (spec.probe.httpGet.port)`;
  if (answer === undefined) return `${wants}: it has not been probed yet`;
  if (!answer.ok)
    return hasConfirmed(answer.last, slice)
      ? `it confirmed version ${answer.last.version}, but no longer answers: ${answer.reason}`
      : `${wants}: ${answer.reason}`;
  const { read, version } = answer.report;
  if (read === slice?.version)
    return `${wants}: it has read that version, but still reports version ${version}`;
  const nudges = notedOn(pod)?.attempt ?? 0;
  const what =
    version < (slice?.version ?? 0)
      ? `it reports version ${version}`
      : 'its streams differ from those assigned to it';
  return `${wants}: ${what} (notified ${plural(nudges, 'time')})`;
}

const hasConfirmed = (
  last: WorkerReport | undefined,
  slice: Slice | undefined,
): last is WorkerReport =>
  last !== undefined &&
  slice !== undefined &&
  last.version >= slice.version &&
  (last.jobs === undefined || runsJust(last, slice));
