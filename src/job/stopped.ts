// The job may not run: which of its pods still run, and which state does it get when they have
// ended?
import { plural } from '../core/text.ts';
import { type AttemptFailure, disruption, mayRetry, startFailure } from './attempt/failure.ts';
import { untilNotedMs } from './attempt/noted.ts';
import { CUT_SHORT, whyCutShort } from './attempt/rank-ends.ts';
import { isAlive, livingPods, livingText, ownPods } from './attempt/ranks.ts';
import { startTimeoutSeconds } from './attempt/start-time.ts';
import { deadlineText, pastDeadline } from './ended.ts';
import type { StopReason } from './reasons.ts';
import { actionToStop, type DesiredJob, type Situation, type State } from './situation.ts';
import type { JobFacts } from './world.ts';

const ADMITTED: ReadonlySet<State | undefined> = new Set(['Admitted', 'Starting', 'Running']);
/** In all other states the job has no living pods, as its status has confirmed. */
const MAY_LIVE: ReadonlySet<State | undefined> = new Set([...ADMITTED, 'Suspending']);

export function stopped(world: JobFacts, stop: StopReason): DesiredJob {
  const facts = ownPods(world);
  const { job } = facts;
  const action = actionToStop(facts);
  const failure = ADMITTED.has(job.status?.state) ? failureIn(facts, stop) : undefined;
  // Suspended confirms that the job has no pods: it is written late rather than too early.
  const isWaited = stop === 'SuspendRequested' && MAY_LIVE.has(job.status?.state);
  const notedInMs = isWaited ? untilNotedMs(facts) : 0;
  // Before the job waits again, its status has to show the failure and count it, or show the job
  // that takes its place.
  const isNews = failure !== undefined || (stop === 'Preempted' && ADMITTED.has(job.status?.state));
  if (isNews || isAlive(facts) || notedInMs > 0)
    return {
      situation: suspending(facts, stop, failure),
      action,
      ...(notedInMs > 0 && { nextInMs: notedInMs }),
    };
  return { situation: atRest(facts, stop), action };
}

/** The failure that counts when the operator ends an attempt for this reason. */
function failureIn(facts: JobFacts, stop: StopReason): AttemptFailure | undefined {
  if (stop === 'StartTimedOut')
    return startFailure(facts, facts.spec.size, startTimeoutSeconds(facts));
  return stop === 'Disrupted' ? disruption(whyCutShort(facts) ?? CUT_SHORT) : undefined;
}

const FAILED: ReadonlySet<string> = new Set<StopReason>(['StartTimedOut', 'Disrupted']);
/**
 * For these reasons, the message is complete only when the job is stopped, except for its living
 * pods.
 */
const SAID_ONCE: ReadonlySet<string> = new Set<StopReason>([
  'StartTimedOut',
  'Disrupted',
  'Preempted',
]);

function suspending(
  facts: JobFacts,
  stop: StopReason,
  failure: AttemptFailure | undefined,
): Situation {
  const { job, refused } = facts;
  const { state, reason = stop, message = '' } = job.status ?? {};
  const isUnderWay = state === 'Suspending';
  const because = isUnderWay ? reason : stop;
  const said = isUnderWay && SAID_ONCE.has(reason) ? firstPart(message) : undefined;
  const living = livingPods(facts).length === 0 ? '' : `; ${livingText(facts)}`;
  const text = failure?.message ?? said ?? stopText(facts, because);
  const refusal =
    refused === undefined ? '' : `; ${REFUSED}: ${refused.reason}: ${refused.message}`;
  return {
    state: 'Suspending',
    reason: because,
    message: `${text}${living}${refusal}`,
    ...(failure !== undefined && { failure }),
    ...(because === 'Preempted' && { preempted: text }),
  };
}

const REFUSED = 'a write is refused';

function stopText(facts: JobFacts, reason: string): string {
  switch (reason) {
    case 'SuspendRequested':
      return 'spec.suspend is set';
    case 'DeadlineExceeded':
      return deadlineText(facts);
    case 'StartTimedOut':
      return `not all ranks ran within ${plural(startTimeoutSeconds(facts), 'second')}`;
    case 'Disrupted':
      return CUT_SHORT;
    case 'Preempted':
      return preemptedText(facts);
    default:
      return 'its queue has not admitted what runs';
  }
}

const preemptedText = ({ entry }: JobFacts): string =>
  entry?.preempted === undefined
    ? 'another job takes its place'
    : `job ${entry.preempted.name} of priority ${entry.preempted.priority} takes its place`;

/** No pod of the job lives any more. */
function atRest(facts: JobFacts, stop: StopReason): Situation | undefined {
  const { job, spec } = facts;
  if (stop === 'SuspendRequested')
    return { state: 'Suspended', reason: stop, message: 'spec.suspend is set: it has no pods' };
  if (stop === 'DeadlineExceeded') return pastDeadline(facts);
  const { state, reason = '', message = '', failures } = job.status ?? {};
  if (state !== 'Suspending' || !FAILED.has(reason)) return waiting(facts);
  return mayRetry(spec, failures)
    ? { state: 'Waiting', reason: 'BackingOff', message: firstPart(message) }
    : { state: 'Failed', reason, message: firstPart(message) };
}

/**
 * The message of a failed attempt without its last parts: the pods that lived then, and a refusal.
 */
const firstPart = (message: string): string =>
  message.replace(/; (\d+ pods? (has|have) not ended|a write is refused): .*$/s, '');

/**
 * The reason is the queue's verdict; until that is known, the status stays as it is if possible.
 */
function waiting({ job: { status }, waits, batchJob }: JobFacts): Situation | undefined {
  const { state, reason, message } = status ?? {};
  if (state !== 'Waiting' && batchJob?.end !== undefined && ADMITTED.has(state))
    return { state: 'Waiting', reason: 'BackingOff', message: 'its last attempt has failed' };
  if (waits === undefined) {
    const isNew = state === undefined && batchJob === undefined;
    if (isNew || state === 'Waiting') return undefined;
    return { state: 'Waiting', reason: 'Queued', message: 'it waits for its queue' };
  }
  // The failure is more useful than the time of the next attempt.
  const isTold = waits.reason === 'BackingOff' && reason === waits.reason;
  return { state: 'Waiting', ...waits, ...(isTold && message !== undefined && { message }) };
}
