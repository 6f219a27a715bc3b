// The job may run: what does the operator create or start next, and what delays the start?
import type { BatchJob } from '../api/batch-job.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import { isFresh, READ_AGAIN_MS } from './attempt/certainty.ts';
import { counted, disruption, foreignText, mayRetry } from './attempt/failure.ts';
import {
  isAlive,
  livingPods,
  livingText,
  ranksText,
  readyRanks,
  refusalOf,
} from './attempt/ranks.ts';
import { leftMs } from './attempt/run-time.ts';
import { startLeftMs } from './attempt/start-time.ts';
import { togetherSteps } from './attempt/together.ts';
import type { HeldUpReason } from './reasons.ts';
import { actionToStop, type DesiredJob, type JobAction, type Situation } from './situation.ts';
import type { JobFacts } from './world.ts';

/** `entry` is in force. */
export function admitted(facts: JobFacts, entry: LedgerEntry): DesiredJob {
  const desired = interrupted(facts, entry) ?? nextStep(facts, entry);
  const waits = [desired.nextInMs, startLeftMs(facts, entry), leftMs(facts)].filter(
    (ms) => ms !== undefined,
  );
  return { ...desired, ...(waits.length > 0 && { nextInMs: Math.min(...waits) }) };
}

/** Another writer deleted or suspended the batch Job after the job was started. */
function interrupted(facts: JobFacts, entry: LedgerEntry): DesiredJob | undefined {
  const { job, spec, batchJob } = facts;
  const { state, failures } = job.status ?? {};
  if (state !== 'Starting' && state !== 'Running') return undefined;
  const reason = whyInterrupted(batchJob, entry);
  if (reason === undefined) return undefined;
  if (reason === 'JobDeleted' ? facts.isUnreported : mayBeLate(facts))
    return { situation: undefined, action: 'none', nextInMs: READ_AGAIN_MS };
  const message = interruptionText[reason];
  const failure = disruption(message);
  if (mayRetry(spec, counted(failures, failure)))
    return { situation: { state: 'Admitted', reason, message, failure }, action: 'none' };
  return {
    situation: { state: 'Failed', reason: failure.reason, message, failure },
    action: actionToStop(facts),
  };
}

/** The watch may not have reported the start that the status tells of. */
const mayBeLate = (facts: JobFacts): boolean =>
  facts.remembered.batchJob?.isStartNoted !== true && isFresh(facts);

const interruptionText = {
  JobDeleted: 'its batch Job was deleted while it ran',
  JobSuspended: 'its batch Job was suspended while it ran',
} as const;

function whyInterrupted(
  batchJob: BatchJob | undefined,
  { grant }: LedgerEntry,
): keyof typeof interruptionText | undefined {
  if (batchJob === undefined || batchJob.isDeleting || batchJob.grant === undefined)
    return 'JobDeleted';
  return batchJob.grant === grant && batchJob.isSuspended ? 'JobSuspended' : undefined;
}

/** Creates and starts nothing while a pod of another attempt lives: no two attempts at a time. */
function nextStep(facts: JobFacts, entry: LedgerEntry): DesiredJob {
  const { batchJob } = facts;
  const { grant } = entry;
  const isGranted = batchJob?.grant === grant && !batchJob.isDeleting;
  if (isGranted && !batchJob.isSuspended) return running(facts, batchJob, entry);
  if (isAlive(facts) || batchJob?.isDeleting === true)
    return podsEnding(facts, isGranted ? 'none' : actionToStop(facts));
  return isGranted ? starting(facts, entry) : making(facts);
}

const podsEnding = (facts: JobFacts, action: JobAction): DesiredJob => ({
  ...heldUp(
    'PodsEnding',
    livingPods(facts).length === 0
      ? 'an earlier batch Job has to end first'
      : `before it starts, an earlier attempt has to end: ${livingText(facts)}`,
    action,
  ),
  nextInMs: READ_AGAIN_MS,
});

function making({ job, taken, refused }: JobFacts): DesiredJob {
  if (job.isWithheld === true)
    return { situation: undefined, action: 'none', nextInMs: READ_AGAIN_MS };
  if (taken.length > 0) return heldUp('NameTaken', foreignText(taken), 'none');
  // The API server would refuse the same template again.
  if (refused?.reason === 'Invalid') {
    const message = withoutRequest(refused.message);
    return { situation: { state: 'Failed', reason: 'TemplateRefused', message }, action: 'none' };
  }
  if (refused === undefined) return { situation: undefined, action: 'make' };
  return heldUp('WriteRefused', `${refused.reason}: ${refused.message}`, 'make');
}

/** Omits the request, such as "POST /apis/batch/v1/namespaces/hpc/jobs: ". */
const withoutRequest = (message: string): string => message.replace(/^[A-Z]+ \/\S+: /, '');

function starting(facts: JobFacts, { size }: LedgerEntry): DesiredJob {
  const { refused, batchJob } = facts;
  if (batchJob?.launcher !== undefined && !batchJob.endsWithLeader)
    return {
      situation: { state: 'Failed', reason: 'TemplateRefused', message: NO_SUCCESS_POLICY },
      action: 'none',
    };
  if (refused !== undefined)
    return heldUp('WriteRefused', `${refused.reason}: ${refused.message}`, 'start');
  return { situation: ranksStarting(facts, size), action: 'start' };
}

/** Kubernetes 1.30 drops the field. */
const NO_SUCCESS_POLICY =
  'spec.launcher needs Kubernetes 1.31 or newer: this one ends no Job with its first rank';

function running(facts: JobFacts, { attempt }: BatchJob, { size }: LedgerEntry): DesiredJob {
  const { status } = facts.job;
  const message = ranksText(facts, size);
  if (readyRanks(facts) >= size)
    return { situation: { state: 'Running', reason: 'AllRanksRunning', message }, action: 'run' };
  const hasRun =
    facts.remembered.firstRun !== undefined ||
    (status?.state === 'Running' && status.attempt === attempt);
  if (!hasRun)
    return { situation: beginRefused(facts) ?? ranksStarting(facts, size), action: 'run' };
  return { situation: { state: 'Running', reason: 'RanksNotReady', message }, action: 'run' };
}

/** All ranks are there, and the API server refuses the addresses for which they wait. */
function beginRefused(facts: JobFacts): Situation | undefined {
  const { refused } = facts;
  if (refused === undefined || togetherSteps(facts).length === 0) return undefined;
  const message = `${refused.reason}: ${refused.message}`;
  return { state: 'Starting', reason: 'AddressesRefused', message };
}

const ranksStarting = (facts: JobFacts, size: number): Situation => ({
  state: 'Starting',
  reason: refusalOf(facts) === undefined ? 'RanksStarting' : 'PodsRefused',
  message: ranksText(facts, size),
});

const heldUp = (reason: HeldUpReason, message: string, action: JobAction): DesiredJob => ({
  situation: { state: 'Admitted', reason, message },
  action,
});
