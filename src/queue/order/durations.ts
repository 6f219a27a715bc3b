// How long do the start and the end of a job take at most, as far as the operator can know?
import type { LedgerEntry } from '../../api/ledger.ts';
import { asNumber, dig } from '../../api/objects.ts';
import { memoize } from '../../core/memoize.ts';
import { nothing, type Parts } from '../parts.ts';

/** The grace period that Kubernetes gives to pods by default. */
const USUAL_GRACE_SECONDS = 30;
/**
 * The time from a deadline until the signal, and from the end of the last pod until the operator
 * has noticed.
 */
const NOTICED_MS = 5_000;
const LEAST_START_MS = 2_000;
const MOST_START_MS = 60_000;
/** Both times are whole seconds. */
const ROUNDED_MS = 1_000;

/**
 * The time from the job's deadline until its quota is free. Pods with a signal before the deadline
 * have ended by the deadline.
 */
export const endsInMs = (podSpec: object, signalSeconds: number): number =>
  (signalSeconds > 0 ? 0 : graceInMs(podSpec)) + NOTICED_MS;

const graceInMs = memoize((podSpec: object): number => {
  const seconds = asNumber(dig(podSpec, 'terminationGracePeriodSeconds')) ?? USUAL_GRACE_SECONDS;
  return seconds * 1_000;
});

/**
 * The time from a job's admission until its deadline begins: the longest among the running jobs.
 */
export function startsInMs(
  entries: readonly LedgerEntry[],
  parts: ReadonlyMap<string, Parts>,
): number {
  let longest = LEAST_START_MS;
  for (const { uid, grant, time } of entries) {
    const { runs } = parts.get(uid) ?? nothing;
    const run = runs.find((it) => it.grant === grant);
    if (run?.startedMs === undefined || run.isSuspended) continue;
    longest = Math.max(longest, run.startedMs - Date.parse(time) + ROUNDED_MS);
  }
  return Math.min(longest, MOST_START_MS);
}
