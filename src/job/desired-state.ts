// What should be: which state does the job have, and what must be created, started or taken back?
import { takenBack } from '../api/grants.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import { hasEnded } from '../api/swarm-job.ts';
import { OUTDATED_AGAIN_MS } from '../core/decision.ts';
import { admitted } from './admitted.ts';
import { contradictsStatus, isFresh, READ_AGAIN_MS } from './attempt/certainty.ts';
import { entryInForce } from './attempt/entry.ts';
import { isFailureNews, isOfEarlierAttempt } from './attempt/failure.ts';
import { hasLeaderEndedWell, whyCutShort } from './attempt/rank-ends.ts';
import { podsOfBatchJob, waitingRanks } from './attempt/ranks.ts';
import { leftMs } from './attempt/run-time.ts';
import { startLeftMs } from './attempt/start-time.ts';
import { completed, failed, hasCompleted } from './ended.ts';
import type { StopReason } from './reasons.ts';
import { actionToStop, type DesiredJob, type JobAction } from './situation.ts';
import { stopped } from './stopped.ts';
import type { JobFacts } from './world.ts';

export function computeDesiredState(facts: JobFacts): DesiredJob {
  const { job } = facts;
  const entry = entryInForce(facts);
  if (hasEnded(job) && !runsUnder(facts, entry))
    return { situation: undefined, action: actionToStop(facts) };
  if (hasCompleted(facts)) return completed(facts);
  if (isFailureNews(facts) && !(isOfEarlierAttempt(facts) && isFresh(facts))) return failed(facts);
  if (!facts.isLedgerKnown) return asItIs;
  if (isLate(facts)) return { ...asItIs, nextInMs: READ_AGAIN_MS };
  if (hasLeaderEndedWell(facts) && runsUnder(facts, facts.entry)) return leaderEnded;
  const stop = whyStop(facts, entry);
  if (stop === 'NotAdmitted' && !facts.isOfThisTerm) return asItIs;
  if (entry === undefined || stop !== undefined) return stopped(facts, stop ?? 'NotAdmitted');
  const desired = admitted(facts, entry);
  if (!BEGINS.has(desired.action)) return decideAgainSoon(facts, desired);
  if (facts.isOutdated) return { ...asItIs, nextInMs: OUTDATED_AGAIN_MS };
  return facts.isOfThisTerm ? desired : { ...asItIs, nextInMs: desired.nextInMs };
}

/**
 * While a watch is broken, waiting ranks get no addresses: the cache may still have a pod that has
 * ended.
 */
function decideAgainSoon(facts: JobFacts, desired: DesiredJob): DesiredJob {
  if (!facts.isOutdated || waitingRanks(facts).length === 0) return desired;
  return {
    ...desired,
    nextInMs: Math.min(desired.nextInMs ?? OUTDATED_AGAIN_MS, OUTDATED_AGAIN_MS),
  };
}

const asItIs: DesiredJob = { situation: undefined, action: 'none' };

/** Kubernetes ends the other ranks, also if the job is suspended or preempted meanwhile. */
const leaderEnded: DesiredJob = {
  situation: {
    state: 'Running',
    reason: 'LeaderEnded',
    message: 'rank 0 has ended well; the other ranks end',
  },
  action: 'none',
};

/**
 * A late write of an earlier leader may give the entry's quota to another job, so nothing begins. A
 * running job goes on, and ends as its user or its deadline demands.
 */
const BEGINS: ReadonlySet<JobAction> = new Set(['make', 'start']);

/** The watch of batch Jobs lags, or it has not reported the pods of this batch Job yet. */
const isLate = (facts: JobFacts): boolean =>
  isFresh(facts) && contradictsStatus(facts) && podsOfBatchJob(facts).every((pod) => pod.hasEnded);

/** The batch Job runs under this entry, so the job has not ended, whatever its status says. */
const runsUnder = ({ batchJob }: JobFacts, entry: LedgerEntry | undefined): boolean =>
  entry !== undefined &&
  batchJob?.grant === entry.grant &&
  !batchJob.isSuspended &&
  !batchJob.isDeleting;

/** This leader, or the last one, took the batch Job back, perhaps without writing the status. */
const wasTakenBack = ({ batchJob, entry }: JobFacts): boolean =>
  entry !== undefined && batchJob?.grant === takenBack(entry.grant);

/**
 * The first reason that applies. It follows from the world alone, so a new leader finds the same.
 */
function whyStop(facts: JobFacts, entry: LedgerEntry | undefined): StopReason | undefined {
  if (facts.spec.suspend) return 'SuspendRequested';
  if ((leftMs(facts) ?? 1) <= 0) return 'DeadlineExceeded';
  if (facts.entry?.preempted !== undefined) return 'Preempted';
  if ((startLeftMs(facts, entry) ?? 1) <= 0) return 'StartTimedOut';
  const isUnder = runsUnder(facts, entry) || wasTakenBack(facts);
  if (isUnder && whyCutShort(facts) !== undefined) return 'Disrupted';
  return entry === undefined ? 'NotAdmitted' : undefined;
}
