// How many ranks of each admitted job are in which state?
import { type BatchJob, completedRanks } from '../../../api/batch-job.ts';
import type { Ranks } from '../../../api/introspection/queues.ts';
import type { JobPod } from '../../../api/job-pod.ts';
import type { LedgerEntry } from '../../../api/ledger.ts';
import { memoize } from '../../../core/memoize.ts';
import type { QueueWorld } from '../../../queue/world.ts';

/** By UID of the batch Job. */
const podsIn = memoize(({ pods }: QueueWorld) => Map.groupBy(pods, ({ jobUid }) => jobUid));

/** What was made under an entry of the ledger. By grant: an earlier attempt is another one. */
const runsIn = memoize(
  ({ runs }: QueueWorld): ReadonlyMap<string, BatchJob> =>
    new Map(runs.map((run) => [`${run.swarmJobUid ?? run.uid} ${run.grant}`, run])),
);

export const runOf = (world: QueueWorld, { uid, grant }: LedgerEntry): BatchJob | undefined =>
  runsIn(world).get(`${uid} ${grant}`);

export function ranksOf(world: QueueWorld, entry: LedgerEntry): Ranks {
  const run = runOf(world, entry);
  const pods = (run && podsIn(world).get(run.uid)) ?? [];
  const counts = { running: 0, succeeded: 0, starting: 0, failing: 0, ending: 0, missing: 0 };
  const ofRank = Map.groupBy(pods, ({ rank, uid }) => rank ?? uid);
  const done = new Set<number | string>(run === undefined ? [] : completedRanks(run));
  for (const [rank, all] of ofRank) if (!done.has(rank)) counts[best(all.map(stateOf))] += 1;
  counts.succeeded += done.size;
  const known = new Set([...ofRank.keys(), ...done]).size;
  counts.missing = Math.max(0, entry.size - known);
  return counts;
}

type State = Exclude<keyof Ranks, 'missing'>;

/** A rank whose pod was replaced has several. */
const order: readonly State[] = ['succeeded', 'running', 'starting', 'failing', 'ending'];
const best = (states: readonly State[]): State =>
  order.find((state) => states.includes(state)) ?? 'failing';

function stateOf({ hasEnded, hasSucceeded, isTerminating, isReady, trouble }: JobPod): State {
  if (hasSucceeded) return 'succeeded';
  if (hasEnded) return 'failing';
  if (isTerminating) return 'ending';
  if (isReady) return 'running';
  return trouble === undefined ? 'starting' : 'failing';
}
