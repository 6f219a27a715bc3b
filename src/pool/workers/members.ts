// What is known of each worker, and does it take part?
import type { Assignment, Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import type { Seat } from './seats.ts';

/**
 * Workers usually become Ready together: one waits so long for the others, since joining one after
 * the other moves more streams.
 */
export const JOIN_TOGETHER_MS = 500;

export type Member = Seat & {
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

type MembersInput = {
  readonly seats: readonly Seat[];
  /**
   * There are to be new workers: the former ones keep their streams until one of these is Ready.
   */
  readonly isSuccessionDue: boolean;
  readonly previous: Assignment | undefined;
  readonly answers: Readonly<Record<string, ProbeAnswer>>;
  readonly cordoned: readonly number[];
  readonly outdated: ReadonlySet<string>;
  readonly isProbed: boolean;
  readonly failed: ReadonlySet<string>;
  readonly readyMs: Readonly<Record<string, number>>;
};

export function membersOf(input: MembersInput): readonly Member[] {
  const {
    seats,
    previous,
    answers,
    cordoned,
    outdated,
    isProbed,
    failed,
    readyMs,
    isSuccessionDue,
  } = input;
  const beforeOf = ({ from }: Seat): Slice | undefined => previous?.workloads.get(from);
  const desired = seats.filter(({ isDesired }) => isDesired);
  const keepers = isSuccessionDue
    ? seats.filter((seat) => isKeeping(seat) && hasJobs(beforeOf(seat)))
    : [];
  // Nothing can be taken from any worker yet, so none has to be Ready first.
  const isFirst = keepers.length === 0 && !desired.some((seat) => hasJobs(beforeOf(seat)));
  /** Ready now, or it was once: it has streams. A worker that restarts stays in. */
  const isEarlier = (seat: Seat): boolean => seat.pod?.isReady === true || hasJobs(beforeOf(seat));
  const isAwaited = desired.some((seat) => !isEarlier(seat));
  const isAlone = (seat: Seat): boolean =>
    isAwaited && !hasJobs(beforeOf(seat)) && (readyMs[seat.key] ?? 0) < JOIN_TOGETHER_MS;
  const hasJoined = (seat: Seat): boolean =>
    seat.isDesired && !failed.has(seat.key) && (isFirst || (isEarlier(seat) && !isAlone(seat)));
  const keeping = new Set(desired.some(hasJoined) ? [] : keepers);
  return seats.map((seat) => {
    const { pod, isDesired, ordinal } = seat;
    const hasFailed = isDesired && failed.has(seat.key);
    return {
      ...seat,
      before: beforeOf(seat),
      hasJoined: hasJoined(seat) || keeping.has(seat),
      isCordoned: cordoned.includes(ordinal),
      hasFailed,
      isOutdated: pod !== undefined && outdated.has(pod.uid),
      answer: pod === undefined ? undefined : usable(answers[pod.uid], pod),
      isProbed,
    };
  });
}

/** Workers of an earlier target keep their streams until the first new worker is Ready. */
const isKeeping = ({ isFormer, pod }: Seat): boolean =>
  isFormer && pod?.isReady === true && !pod.isTerminating;

export const hasJobs = (slice: Slice | undefined): boolean =>
  slice !== undefined && slice.jobs.length > 0;

/** The address may belong to another pod now. */
function usable(answer: ProbeAnswer | undefined, pod: Pod): ProbeAnswer | undefined {
  const podUid = answer?.ok === true ? answer.report.podUid : answer?.last?.podUid;
  if (answer === undefined || podUid === undefined || podUid === pod.uid) return answer;
  return {
    ok: false,
    reason: answer.ok ? `the answer came from another pod (UID ${podUid})` : answer.reason,
  };
}
