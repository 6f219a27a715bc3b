// Which size should the members get now? The wanted one; if that failed and is not to be tried
// again yet, the last one that was reached.
import { fingerprint } from '../api/fingerprint.ts';
import type { SwarmGroupSpec } from '../api/validate.ts';
import { ANNOTATION_RETRY } from '../core/labels.ts';
import { type Bounds, bounded } from './policy/bounds.ts';
import { type HistoryEntry, isUnderWay } from './transition/transition.ts';
import type { GroupWorld, Retry } from './world.ts';

export type Goal = {
  readonly size: number;
  /** Each member gets back its earlier replicas, if the status has them. */
  readonly isBack: boolean;
  /** While the group goes back from a failed size: that size. */
  readonly failed: number | undefined;
  /** The time until the wanted size is tried again; undefined: it is being tried. */
  readonly backOffMs: number | undefined;
};

export function goalOf(
  { group: { status }, ages }: GroupWorld,
  spec: SwarmGroupSpec,
  { wanted, bounds }: { readonly wanted: number; readonly bounds: Bounds },
  attempt: string,
): Goal {
  const last = status?.transition;
  const waitMs = backOffMs(spec, status?.history ?? [], wanted, attempt);
  const leftMs = waitMs - (ages.failedMs.get(wanted) ?? 0);
  const back = (reached: number, backOff: number | undefined): Goal => {
    const size = bounded(bounds, reached).wanted;
    const isRolledBack = last?.state === 'RollingBack' || last?.state === 'RolledBack';
    const isBack = isRolledBack && size === last.from;
    return {
      size,
      isBack,
      failed: last?.state === 'RollingBack' ? last.to : undefined,
      backOffMs: backOff,
    };
  };
  const ahead: Goal = { size: wanted, isBack: false, failed: undefined, backOffMs: undefined };
  if (last?.state === 'RollingBack' && (last.to === wanted || leftMs > 0))
    return back(last.from, undefined);
  // The group is trying the size, or has kept it although it timed out.
  const isOngoing = last?.to === wanted && (last.state === 'Scaling' || last.state === 'TimedOut');
  if (leftMs <= 0 || isOngoing) return ahead;
  // If a member could not go back, status.replicas is still the failed size.
  const isAway = status?.replicas === wanted || last?.state === 'RolledBack' || isUnderWay(last);
  const from = status?.transition?.from;
  const reached = isAway ? from : (status?.replicas ?? from);
  return reached === undefined ? ahead : back(reached, leftMs);
}

/** The difference of the wall clock and the leader's monotonic clock varies between decisions. */
const SAME_MS = 5_000;

/**
 * By the wall clock, for users. The reported time stays the same: otherwise the status would be
 * written again and again. `leftMs` is undefined if the size has just failed.
 */
export function retryOf(
  { remembered }: GroupWorld,
  spec: SwarmGroupSpec,
  {
    wanted,
    leftMs,
    attempt,
    history,
    now,
  }: {
    readonly wanted: number;
    readonly leftMs: number | undefined;
    readonly attempt: string;
    readonly history: readonly HistoryEntry[];
    readonly now: number;
  },
): Retry | undefined {
  const [failure] = failuresOf(history, wanted, attempt);
  if (failure === undefined) return undefined;
  const of = `${wanted} ${failure.requestTime}`;
  const atMs = now + (leftMs ?? backOffMs(spec, history, wanted, attempt));
  const { retry: before } = remembered;
  const isSame = before?.of === of && Math.abs(before.atMs - atMs) < SAME_MS;
  return isSame ? before : { of, atMs };
}

/**
 * Identifies an attempt: a short hash of everything that may make a size fail: the spec without its
 * size and pause, the members with their pod templates, and the user's annotation to retry.
 */
export function attemptOf({ group, members }: GroupWorld, spec: SwarmGroupSpec): string {
  const { replicas: _, paused: __, ...rest } = spec;
  const found = members.map(({ kind, name, found: it }) => [
    ...[kind, name, it?.uid, it?.revision, it?.rules],
  ]);
  const all = [rest, found, group.meta.annotations[ANNOTATION_RETRY] ?? ''];
  return fingerprint(all);
}

const LONGEST_BACK_OFF_MS = 3_600_000;

/** Doubled with each failure of this size, up to an hour. */
function backOffMs(
  { transition: { retryAfterSeconds } }: SwarmGroupSpec,
  history: readonly HistoryEntry[],
  size: number,
  attempt: string,
): number {
  const failures = failuresOf(history, size, attempt).length;
  if (failures === 0) return 0;
  const first = retryAfterSeconds * 1000;
  return Math.max(first, Math.min(first * 2 ** (failures - 1), LONGEST_BACK_OFF_MS));
}

/** The failures of this attempt: since the size was last reached, and since the last edit. */
function failuresOf(
  history: readonly HistoryEntry[],
  size: number,
  attempt: string,
): readonly HistoryEntry[] {
  const tried = history.filter(({ to, outcome }) => to === size && outcome !== 'Superseded');
  const ended = tried.findIndex((it) => it.outcome === 'Completed' || it.attempt !== attempt);
  return ended < 0 ? tried : tried.slice(0, ended);
}
