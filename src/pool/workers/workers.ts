// What is known of each worker, and does it take part?
import type { Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import type { Validated } from '../preconditions.ts';
import { sizeOf } from '../targets.ts';
import type { PoolWorld } from '../world.ts';
import type { Availability } from './availability.ts';
import type { Seat } from './seats.ts';

/** Workers that become Ready within this time join together: one by one moves more streams. */
export const JOIN_TOGETHER_MS = 500;

/** A seat with all that is known of the worker in it. */
export type PoolWorker = Seat & {
  /** The slice that it continues from. */
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
  const isSuccessionDue = targets.length > 0 && (sizeOf(targets) > 0 || (size.wanted ?? 0) > 0);
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
  return seats.map((seat) => {
    const { pod, isDesired, ordinal } = seat;
    return {
      ...seat,
      before: beforeOf(seat),
      hasJoined: hasJoined(seat) || keeping.has(seat),
      isCordoned: spec.workers.cordoned?.includes(ordinal) === true,
      hasFailed: isDesired && failed.has(seat.key),
      isOutdated: pod !== undefined && published.outdated.has(pod.uid),
      answer: pod === undefined ? undefined : usable(answers[pod.uid], pod),
      isProbed: spec.probe.type === 'HTTPGet',
    };
  });
}

/** Its pod, unless that is ending or has ended. */
export const livePod = ({ pod }: Pick<PoolWorker, 'pod'>): Pod | undefined =>
  pod === undefined || pod.isTerminating || pod.hasEnded ? undefined : pod;

export const hasJobs = (slice: Slice | undefined): boolean =>
  slice !== undefined && slice.jobs.length > 0;

export const loadOf = (slice: Slice | undefined): number =>
  Object.values(slice?.weights ?? {}).reduce((sum, weight) => sum + weight, 0);

/** The address may belong to another pod now. */
function usable(answer: ProbeAnswer | undefined, pod: Pod): ProbeAnswer | undefined {
  const podUid = answer?.ok === true ? answer.report.podUid : answer?.last?.podUid;
  if (answer === undefined || podUid === undefined || podUid === pod.uid) return answer;
  return {
    ok: false,
    reason: answer.ok ? `the answer came from another pod (UID ${podUid})` : answer.reason,
  };
}
