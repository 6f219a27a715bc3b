// What is known of each worker, and does it take part?
import type { Assignment, Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import type { Seat } from './seats.ts';

/**
 * Workers that come up together mostly become Ready within moments of each other: one waits so long
 * for the others, since to join one after the other moves more streams than to join at once.
 */
export const JOIN_TOGETHER_MS = 500;

/** What the last question to a pod brought. */
export type Member = Seat & {
  /** What it goes on from. */
  readonly before: Slice | undefined;
  /** It takes part in balancing; before that it takes nothing from others. */
  readonly hasJoined: boolean;
  /** It is emptied, and given nothing. */
  readonly isCordoned: boolean;
  /** It has been away for so long that others have its streams. */
  readonly hasFailed: boolean;
  /** Its pod was there when its slice last changed, and a new one is to take its place. */
  readonly isOutdated: boolean;
  /** Undefined: not asked yet, or never (see isProbed). */
  readonly answer: ProbeAnswer | undefined;
  /** False: it cannot tell what it runs (probe.type None). */
  readonly isProbed: boolean;
};

type MembersInput = {
  readonly seats: readonly Seat[];
  /** There are to be workers: those of before keep their streams until one of them is Ready. */
  readonly isSuccessionDue: boolean;
  readonly previous: Assignment | undefined;
  readonly answers: Readonly<Record<string, ProbeAnswer>>;
  readonly cordoned: readonly number[];
  /** UIDs of pods that a restart is to replace. */
  readonly outdated: ReadonlySet<string>;
  readonly isProbed: boolean;
  /** Keys of seats. */
  readonly failed: ReadonlySet<string>;
  /** By key of a seat: for how long the leader has seen its pod Ready. */
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
  // Nobody has anything yet: there is nothing to be taken from anybody, and who is not Ready yet
  // will be.
  const isFirst = keepers.length === 0 && !desired.some((seat) => hasJobs(beforeOf(seat)));
  /**
   * It was Ready once: it is so now, or it already has streams. A worker that restarts stays what
   * it is.
   */
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

/**
 * Another target's workers take over from it when the first of them is Ready: until then no stream
 * is taken away.
 */
const isKeeping = ({ isFormer, pod }: Seat): boolean =>
  isFormer && pod?.isReady === true && !pod.isTerminating;

export const hasJobs = (slice: Slice | undefined): boolean =>
  slice !== undefined && slice.jobs.length > 0;

/** An address may have passed to another pod: what names another pod is no answer of this one. */
function usable(answer: ProbeAnswer | undefined, pod: Pod): ProbeAnswer | undefined {
  const podUid = answer?.ok === true ? answer.report.podUid : answer?.last?.podUid;
  if (answer === undefined || podUid === undefined || podUid === pod.uid) return answer;
  return {
    ok: false,
    reason: answer.ok ? `the answer came from another pod (UID ${podUid})` : answer.reason,
  };
}
