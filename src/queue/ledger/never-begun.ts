// Which jobs are admitted again and again, and never begin? Each admission is a write of the
// ledger, so after some of them the job waits, longer each time.
import type { LedgerEntry } from '../../api/ledger.ts';
import { startOf } from '../../core/batch-ends.ts';
import type { Parts } from '../parts.ts';
import type { NeverBegun, QueueWorld } from '../world.ts';

/** Large enough that a user who suspends and resumes a job does not reach it. */
const MOST_TIMES = 5;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 600_000;
/**
 * A job that keeps its entry for longer does not make the operator write in a loop, unless it is
 * queued again each time because it does not start.
 */
const SOON_MS = 10_000;

type Ledgers = {
  readonly before: readonly LedgerEntry[];
  readonly after: readonly LedgerEntry[];
  readonly parts: ReadonlyMap<string, Parts>;
};

/**
 * Updates the counts after a write of the ledger that removed entries. By UID. A write that was
 * refused is decided again, and counts once.
 */
export function neverBegunAfter(
  world: QueueWorld,
  { before, after, parts }: Ledgers,
  now: number,
): ReadonlyMap<string, NeverBegun> {
  const { remembered, monotonicMs } = world;
  const isKept = new Set(after.map(({ grant }) => grant));
  const next = presentIn(world);
  for (const { uid, time, grant } of before.filter((entry) => !isKept.has(entry.grant))) {
    const runs = parts.get(uid)?.runs ?? [];
    const hasBegun = runs.some(
      (run) => (run.grant ?? 0) >= grant && remembered.resumed.has(startOf(run)),
    );
    const since = Date.parse(time);
    const isLate = runs.some(({ queuedAgainMs = 0 }) => queuedAgainMs >= since);
    const known = next.get(uid);
    if (!isLate && (hasBegun || now - since >= SOON_MS)) next.delete(uid);
    else if (known?.grant !== grant)
      next.set(uid, { times: (known?.times ?? 0) + 1, grant, ms: monotonicMs });
  }
  return next;
}

/** Forgets deleted jobs. The map is usually empty, so other jobs are not looked at. */
function presentIn({ remembered, runs, jobs }: QueueWorld): Map<string, NeverBegun> {
  const { neverBegun } = remembered;
  if (neverBegun.size === 0) return new Map();
  const present = new Set([...runs.map(({ uid }) => uid), ...jobs.map(({ meta }) => meta.uid)]);
  return new Map([...neverBegun].filter(([uid]) => present.has(uid)));
}

/** How long the job still waits; 0: it may be admitted. */
export function pauseOfMs(known: NeverBegun | undefined, monotonicMs: number): number {
  if (known === undefined || known.times < MOST_TIMES) return 0;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (known.times - MOST_TIMES), LONGEST_PAUSE_MS);
  return Math.max(0, known.ms + pauseMs - monotonicMs);
}
