// In which state is each rank of an admitted job?
import { type BatchJob, completedRanks } from '../../../api/batch-job.ts';
import type { Ranks, RankTile } from '../../../api/introspection/queues.ts';
import type { JobPod } from '../../../api/job-pod.ts';
import type { LedgerEntry } from '../../../api/ledger.ts';
import { oneLine } from '../../../api/text.ts';
import { memoize } from '../../../core/memoize.ts';
import { waitingRanks } from '../../../job/attempt/ranks.ts';
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

export type RankState = Pick<RankTile, 'state' | 'message'>;

/** By rank; a pod without a rank has its UID. Omits ranks that are not there yet. */
export type RankStates = ReadonlyMap<number | string, RankState>;

export function rankStatesOf(world: QueueWorld, entry: LedgerEntry): RankStates {
  const states = new Map<number | string, RankState>();
  const run = runOf(world, entry);
  if (run === undefined) return states;
  const pods = podsIn(world).get(run.uid) ?? [];
  const waiting = new Set(waitingRanks({ batchJob: run, pods }));
  for (const pod of pods) {
    const rank = pod.rank ?? pod.uid;
    const before = states.get(rank);
    const state = waiting.has(pod) ? { state: 'Waiting' as const } : stateOf(pod);
    if (before === undefined || order.indexOf(state.state) < order.indexOf(before.state))
      states.set(rank, state);
  }
  for (const rank of completedRanks(run)) states.set(rank, { state: 'Succeeded' });
  return states;
}

/** A rank whose pod was replaced has several: the first of these states counts. */
const order: readonly RankState['state'][] = [
  ...(['Succeeded', 'Running', 'Waiting', 'Pending', 'Stuck', 'Failed', 'Ending'] as const),
];

function stateOf(pod: JobPod): RankState {
  const { hasEnded, hasSucceeded, isTerminating, isReady, disruption, trouble } = pod;
  if (hasSucceeded) return { state: 'Succeeded' };
  // When a rank fails, Kubernetes deletes the other pods: their exit codes mean nothing.
  if (hasEnded && (!isTerminating || disruption !== undefined))
    return { state: 'Failed', message: failureText(pod) };
  if (isTerminating) return { state: 'Ending' };
  if (isReady) return { state: 'Running' };
  return trouble === undefined ? { state: 'Pending' } : { state: 'Stuck', message: trouble };
}

/** A reason of one word is shown: a sentence may quote the command. */
function failureText({ disruption, exitCode, exitWhy = '' }: JobPod): string {
  if (disruption !== undefined) return oneLine(`disrupted: ${disruption}`, LONGEST_MESSAGE);
  if (exitCode === undefined) return 'no exit code';
  return `exit code ${exitCode}${/^\w+$/.test(exitWhy) ? ` (${exitWhy})` : ''}`;
}

const LONGEST_MESSAGE = 100;

const countedAs = {
  ...{ Succeeded: 'succeeded', Running: 'running', Waiting: 'starting', Pending: 'starting' },
  ...{ Stuck: 'failing', Failed: 'failing', Ending: 'ending', Missing: 'missing' },
} as const satisfies Readonly<Record<RankState['state'], keyof Ranks>>;

export function ranksOf(states: RankStates, size: number): Ranks {
  const counts = { running: 0, succeeded: 0, starting: 0, failing: 0, ending: 0, missing: 0 };
  for (const { state } of states.values()) counts[countedAs[state]] += 1;
  counts.missing = Math.max(0, size - states.size);
  return counts;
}
