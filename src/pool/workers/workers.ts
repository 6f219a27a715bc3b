// Which facts are known about each worker, does it take part, and does it run its assigned streams?
import { hasJobs, type Slice } from '../../api/assignment.ts';
import { type Pod, replicasOf } from '../../api/observed.ts';
import type { ProbeAnswer, WorkerReport } from '../../api/report.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Validated } from '../preconditions.ts';
import type { PoolWorld } from '../world.ts';
import type { Availability } from './availability.ts';
import { assignedTo, type Seat } from './seats.ts';

/**
 * Workers that become Ready within this time join together. If they join one after the other, 3 ->
 * 5 workers take three versions and 11 moves; together they take two and 10.
 */
export const JOIN_TOGETHER_MS = 500;

/** A seat with all facts about its worker. */
export type PoolWorker = Seat & {
  /** The slice that the worker continues from. */
  readonly before: Slice | undefined;
  /** The worker takes part in balancing; until then it takes nothing from others. */
  readonly hasJoined: boolean;
  /** The worker is emptied, and gets no streams. */
  readonly isCordoned: boolean;
  /** The worker has been away for so long that others have its streams. */
  readonly hasFailed: boolean;
  /** Its pod existed when its slice last changed, and has to be replaced. */
  readonly isOutdated: boolean;
  /** Undefined: not probed yet, or never (see isProbed). */
  readonly answer: ProbeAnswer | undefined;
  /** False: the worker cannot report its streams (probe.type None). */
  readonly isProbed: boolean;
  /** It has converged to `before`; false without one. */
  readonly isConfirmed: boolean;
};

export function workersOf(
  { published, answers }: PoolWorld,
  { spec, targets }: Pick<Validated, 'spec' | 'targets'>,
  { size, seats, presence, failover: { failed } }: Availability,
): readonly PoolWorker[] {
  const beforeOf = ({ from }: Seat): Slice | undefined => published.assignment?.workloads.get(from);
  const desired = seats.filter(({ isDesired }) => isDesired);
  // New workers are expected: the former ones keep their streams until one of these is Ready.
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
  // No worker has streams to take yet, so none has to be Ready first.
  const isFirst = keepers.length === 0 && !desired.some((seat) => hasJobs(beforeOf(seat)));
  /**
   * The worker is Ready now, or was Ready before, since it has streams. A restarting worker stays
   * in.
   */
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
    const before = beforeOf(seat);
    const isOutdated =
      pod !== undefined &&
      (published.outdatedPods.has(pod.uid) || (isFormer && !isProbed && wasTold(pod)));
    const answer = pod === undefined ? undefined : usable(answers[pod.uid], pod);
    return {
      ...seat,
      before,
      hasJoined: hasJoined(seat) || keeping.has(seat),
      isCordoned: spec.workers.cordoned?.includes(ordinal) === true,
      hasFailed: isDesired && failed.has(seat.key),
      isOutdated,
      answer,
      isProbed,
      isConfirmed: follows({ answer, pod, isProbed, isOutdated }, before),
    };
  });
}

/**
 * The slice has changed since the pod started. While workers are probed, this is the only record.
 */
const wasTold = (pod: Pod): boolean => assignedTo(pod) !== undefined;

/** The worker's pod, unless it is ending or has ended. */
export const livePod = ({ pod }: Pick<PoolWorker, 'pod'>): Pod | undefined =>
  pod === undefined || pod.isTerminating || pod.hasEnded ? undefined : pod;

export function loadOf(slice: Slice | undefined): number {
  // With a held removal, `weights` also contains released streams.
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

/** Does the worker follow this slice? For `before`, which it usually is, that is known. */
export const hasConverged = (worker: PoolWorker, slice: Slice | undefined): boolean =>
  slice === worker.before ? worker.isConfirmed : follows(worker, slice);

/**
 * The worker reports at least its slice's version and, if it lists jobs, exactly these. A worker
 * without a probe follows it when its pod was replaced after the change and is Ready.
 */
export function follows(
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

/** Does the worker run exactly the jobs of its slice? */
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

/** False before the worker has joined, when it has no streams, and when it terminates. */
export const isSettled = (worker: PoolWorker, slice: Slice | undefined): boolean =>
  worker.isDesired &&
  worker.hasJoined &&
  isAtWork(worker.pod) &&
  hasConverged(worker, slice) &&
  !isReleasing(slice);

const isReleasing = (slice: Slice | undefined): boolean => (slice?.releasing ?? []).length > 0;

export const isAtWork = (pod: Pod | undefined): boolean =>
  pod?.isReady === true && !pod.isTerminating && !pod.hasEnded;

/** The worker is to go, and runs nothing any more: it reports so, or its pod has ended. */
const isEmptied = (worker: PoolWorker, slice: Slice | undefined): boolean =>
  worker.pod === undefined ||
  worker.pod.hasEnded ||
  (!hasJobs(slice) && hasConverged(worker, slice));

export function isAsDesired(worker: PoolWorker, slice: Slice | undefined): boolean {
  const isDone = worker.isDesired ? isSettled(worker, slice) : isEmptied(worker, slice);
  return isDone && !isReleasing(slice);
}

/** Every stream runs at its worker and nowhere else; this is verified for leaving workers, too. */
export const isVerified = (
  workers: readonly PoolWorker[],
  slices: ReadonlyMap<string, Slice>,
): boolean => workers.every((worker) => isAsDesired(worker, slices.get(worker.name)));

/** Do workers follow a change only when their pods are replaced? */
export const isByReplacement = ({ refresh, probe }: SwarmPoolSpec): boolean =>
  refresh.mode === 'Restart' || probe.type === 'None';
