// What is known of each worker, does it take part, and does it run what it was assigned?
import { hasJobs, type Slice } from '../../api/assignment.ts';
import { type Pod, replicasOf } from '../../api/observed.ts';
import type { ProbeAnswer, WorkerReport } from '../../api/report.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Validated } from '../preconditions.ts';
import type { PoolWorld } from '../world.ts';
import type { Availability } from './availability.ts';
import { assignedTo, type Seat } from './seats.ts';

/**
 * Workers that become Ready within this time join together. One after the other, 3 -> 5 workers
 * took three versions and 11 moves; two and 10 are enough.
 */
export const JOIN_TOGETHER_MS = 500;

/** A seat with all that is known of the worker in it. */
export type PoolWorker = Seat & {
  /** The slice that the worker continues from. */
  readonly before: Slice | undefined;
  /** It takes part in balancing; until then it takes nothing from others. */
  readonly hasJoined: boolean;
  /** It is emptied, and given nothing. */
  readonly isCordoned: boolean;
  /** It has been away for so long that others have its streams. */
  readonly hasFailed: boolean;
  /** Its pod was there when its slice last changed, and is to be replaced. */
  readonly isOutdated: boolean;
  /** Undefined: not probed yet, or never (see isProbed). */
  readonly answer: ProbeAnswer | undefined;
  /** False: it cannot report what it runs (probe.type None). */
  readonly isProbed: boolean;
};

export function workersOf(
  { published, answers }: PoolWorld,
  { spec, targets }: Pick<Validated, 'spec' | 'targets'>,
  { size, seats, presence, failover: { failed } }: Availability,
): readonly PoolWorker[] {
  const beforeOf = ({ from }: Seat): Slice | undefined => published.assignment?.workloads.get(from);
  const desired = seats.filter(({ isDesired }) => isDesired);
  // There are to be new workers: the former ones keep their streams until one of these is Ready.
  const isSuccessionDue = targets.length > 0 && (replicasOf(targets) > 0 || (size.wanted ?? 0) > 0);
  const keepers = isSuccessionDue
    ? seats.filter(
        (seat) =>
          seat.isFormer &&
          seat.pod?.isReady === true &&
          !seat.pod.isTerminating &&
          hasJobs(beforeOf(seat)),
      )
    : [];
  // Nothing can be taken from any worker yet, so none has to be Ready first.
  const isFirst = keepers.length === 0 && !desired.some((seat) => hasJobs(beforeOf(seat)));
  /** Ready now, or it was once: it has streams. A worker that restarts stays in. */
  const isEarlier = (seat: Seat): boolean => seat.pod?.isReady === true || hasJobs(beforeOf(seat));
  const isAwaited = desired.some((seat) => !isEarlier(seat));
  const waitsForOthers = (seat: Seat): boolean =>
    isAwaited && !hasJobs(beforeOf(seat)) && (presence.readyMs[seat.key] ?? 0) < JOIN_TOGETHER_MS;
  const hasJoined = (seat: Seat): boolean =>
    seat.isDesired &&
    !failed.has(seat.key) &&
    (isFirst || (isEarlier(seat) && !waitsForOthers(seat)));
  const keeping = new Set(desired.some(hasJoined) ? [] : keepers);
  const isProbed = spec.probe.type === 'HTTPGet';
  return seats.map((seat) => {
    const { pod, isDesired, isFormer, ordinal } = seat;
    return {
      ...seat,
      before: beforeOf(seat),
      hasJoined: hasJoined(seat) || keeping.has(seat),
      isCordoned: spec.workers.cordoned?.includes(ordinal) === true,
      hasFailed: isDesired && failed.has(seat.key),
      isOutdated:
        pod !== undefined &&
        (published.outdated.has(pod.uid) || (isFormer && !isProbed && wasTold(pod))),
      answer: pod === undefined ? undefined : usable(answers[pod.uid], pod),
      isProbed,
    };
  });
}

/** Its slice has changed since it started. While workers are probed, this is the only record. */
const wasTold = (pod: Pod): boolean => assignedTo(pod) !== undefined;

/** Its pod, unless that is ending or has ended. */
export const livePod = ({ pod }: Pick<PoolWorker, 'pod'>): Pod | undefined =>
  pod === undefined || pod.isTerminating || pod.hasEnded ? undefined : pod;

export function loadOf(slice: Slice | undefined): number {
  // With a held removal, `weights` also has what is released.
  const leaving = new Set(slice?.releasing);
  return Object.entries(slice?.weights ?? {}).reduce(
    (sum, [stream, weight]) => sum + (leaving.has(stream) ? 0 : weight),
    0,
  );
}

/** The address may belong to another pod now. */
export function usable(answer: ProbeAnswer | undefined, pod: Pod): ProbeAnswer | undefined {
  const podUid = answer?.ok === true ? answer.report.podUid : answer?.last?.podUid;
  if (answer === undefined || podUid === undefined || podUid === pod.uid) return answer;
  return {
    ok: false,
    reason: answer.ok ? `the answer came from another pod (UID ${podUid})` : answer.reason,
  };
}

/**
 * It reports at least its slice's version and, if it lists jobs, exactly these. A worker without a
 * probe converges when its pod was replaced after the change and is Ready.
 */
export function hasConverged(
  {
    answer,
    pod,
    isProbed,
    isOutdated,
  }: Pick<PoolWorker, 'answer' | 'pod' | 'isProbed' | 'isOutdated'>,
  slice: Slice | undefined,
): boolean {
  if (slice === undefined || pod === undefined) return false;
  if (!isProbed) return pod.isReady && !isOutdated;
  if (answer?.ok !== true || answer.report.version < slice.version) return false;
  return answer.report.jobs === undefined || runsJust(answer.report, slice);
}

/** Compared once: a decision on 100,000 streams at rest takes 110 ms, and 230 without this. */
const compared = new WeakMap<WorkerReport, { readonly slice: Slice; readonly isSame: boolean }>();

/** Exactly the jobs of its slice? */
export function runsJust(report: WorkerReport, slice: Slice): boolean {
  const known = compared.get(report);
  if (known?.slice === slice) return known.isSame;
  const isSame = isSameSet(report.jobs ?? [], slice.jobs);
  compared.set(report, { slice, isSame });
  return isSame;
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const names = new Set(a);
  return names.size === b.length && b.every((name) => names.has(name));
}

/** False before it has joined, when it has no streams, and when it terminates. */
export const isSettled = (worker: PoolWorker, slice: Slice | undefined): boolean =>
  worker.isDesired &&
  worker.hasJoined &&
  isAtWork(worker.pod) &&
  hasConverged(worker, slice) &&
  !isReleasing(slice);

const isReleasing = (slice: Slice | undefined): boolean => (slice?.releasing ?? []).length > 0;

export const isAtWork = (pod: Pod | undefined): boolean =>
  pod?.isReady === true && !pod.isTerminating && !pod.hasEnded;

/** It is to go, and runs nothing any more: it reports so, or its pod has ended. */
const isEmptied = (worker: PoolWorker, slice: Slice | undefined): boolean =>
  worker.pod === undefined ||
  worker.pod.hasEnded ||
  (!hasJobs(slice) && hasConverged(worker, slice));

export function isAsDesired(worker: PoolWorker, slice: Slice | undefined): boolean {
  const isDone = worker.isDesired ? isSettled(worker, slice) : isEmptied(worker, slice);
  return isDone && !isReleasing(slice);
}

/** Every stream runs at its worker and nowhere else; verified for leaving workers, too. */
export const isVerified = (
  workers: readonly PoolWorker[],
  slices: ReadonlyMap<string, Slice>,
): boolean => workers.every((worker) => isAsDesired(worker, slices.get(worker.name)));

/** Do pods have to be replaced for a change to be followed? */
export const isByReplacement = ({ refresh, probe }: SwarmPoolSpec): boolean =>
  refresh.mode === 'Restart' || probe.type === 'None';
