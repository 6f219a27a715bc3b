// What is shown of one queue: which jobs are admitted and how their ranks are, and which ones wait?
import type {
  AdmittedJob,
  QueueDetail,
  QueuedJob,
  Ranks,
} from '../../../api/introspection/queues.ts';
import type { LedgerEntry } from '../../../api/ledger.ts';
import type { SwarmJob } from '../../../api/validate.ts';
import { memoize } from '../../../core/memoize.ts';
import { timeText } from '../../../core/text.ts';
import type { DesiredQueues } from '../../../queue/desired-state.ts';
import { positionsOf } from '../../../queue/order/positions.ts';
import type { Until } from '../../../queue/order/when-free.ts';
import { whyBlocked } from '../../../queue/preconditions.ts';
import { startsIn } from '../../../queue/starts.ts';
import { heldStatus } from '../../../queue/status.ts';
import { whyText } from '../../../queue/why.ts';
import type { QueueWorld } from '../../../queue/world.ts';
import { decisionShown } from '../decided.ts';
import { firstOf } from '../page.ts';
import { rankStatesOf, ranksOf, runOf } from './ranks.ts';
import {
  entriesOf,
  failedOf,
  type QueueSnapshot,
  queueSummaryOf,
  statusAfter,
  waitingOf,
} from './summary.ts';
import { tilesOf } from './tiles.ts';

export const queueDetailOf = memoize((snapshot: QueueSnapshot): QueueDetail => {
  const { world, queue, decision, now } = snapshot;
  const { desired } = decision;
  const entries = entriesOf(snapshot);
  const waiting = waitingOf(snapshot);
  const shown = firstOf(entries);
  return {
    ...queueSummaryOf(snapshot),
    asOf: timeText(now),
    generation: queue.meta.generation,
    admittedJobs: {
      total: shown.total,
      first:
        desired === undefined
          ? []
          : shown.first.map(admittedIn(world, desired, now, shown.first.length)),
    },
    waitingJobs: {
      total: waiting.length,
      first: desired === undefined ? [] : waitingIn(snapshot, desired),
    },
    failedJobs: firstOf(failedOf(snapshot)),
    heldJobs: heldIn(snapshot),
    conditions: statusAfter(snapshot).conditions ?? [],
    decision: decisionShown(decision, whyBlocked(queue) ?? world.refused),
  };
});

const jobsByUid = memoize(
  ({ jobs }: QueueWorld): ReadonlyMap<string, SwarmJob> =>
    new Map(jobs.map((job) => [job.meta.uid, job])),
);

const kindOf = (world: QueueWorld, uid: string): QueuedJob['kind'] =>
  jobsByUid(world).has(uid) ? 'SwarmJob' : 'Job';

function admittedIn(world: QueueWorld, desired: DesiredQueues, now: number, jobs: number) {
  const ends = new Map<string, Until>(desired.holdings().map(({ uid, until }) => [uid, until]));
  return (entry: LedgerEntry): AdmittedJob => {
    const { uid, name, size, time } = entry;
    const states = rankStatesOf(world, entry);
    const ranks = ranksOf(states, size);
    const hasLeader = runOf(world, entry)?.launcher !== undefined;
    const until = ends.get(uid);
    const kind = kindOf(world, uid);
    return {
      ...{ kind, name, size, since: time, ranks },
      ...(kind === 'SwarmJob' && { rankTiles: tilesOf(states, { size, hasLeader, jobs }) }),
      ...stateOf(world, entry, ranks),
      ...(until !== undefined && 'ms' in until && { endsBy: timeText(now + until.ms) }),
    };
  };
}

/** By its status, or what is observed of a batch Job that is queued by its label. */
function stateOf(
  world: QueueWorld,
  entry: LedgerEntry,
  { running, succeeded }: Ranks,
): Pick<AdmittedJob, 'state' | 'message'> {
  const { state, message } = jobsByUid(world).get(entry.uid)?.status ?? {};
  if (state !== undefined) return { state, ...(message !== undefined && { message }) };
  const run = runOf(world, entry);
  if (run === undefined || run.isSuspended) return { state: 'Admitted' };
  if (run.end !== undefined)
    return {
      state: run.end.type === 'Complete' ? 'Succeeded' : 'Failed',
      message: run.end.message,
    };
  return { state: running + succeeded >= entry.size ? 'Running' : 'Starting' };
}

function waitingIn(
  snapshot: QueueSnapshot,
  desired: DesiredQueues,
): QueueDetail['waitingJobs']['first'] {
  const { world, queue, now } = snapshot;
  const starts = startsIn(desired, queue.meta.name, now);
  const waiting = waitingOf(snapshot);
  const positions = positionsOf(waiting, desired.pass.waiting);
  return firstOf(waiting).first.map(({ uid, name, priority, size }) => {
    const waits = desired.pass.waiting.get(uid);
    const position = positions.get(uid);
    return {
      ...(position !== undefined && { position }),
      ...{ kind: kindOf(world, uid), name, priority, size },
      reason: waits?.reason ?? '',
      message: waits === undefined ? '' : whyText(waits),
      ...starts.get(uid),
    };
  });
}

function heldIn({ decision: { desired }, queue }: QueueSnapshot): QueueDetail['heldJobs'] {
  const held = desired?.held.filter((job) => job.queue === queue.meta.name) ?? [];
  return firstOf(held.map(heldStatus));
}
