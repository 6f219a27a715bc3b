// Which status does the job get? It is computed anew from the observed objects.
import type { SwarmJob, SwarmJobStatus } from '../api/validate.ts';
import { isOver } from '../core/batch-ends.ts';
import type { BlockedBy } from '../core/blocked.ts';
import { nextConditions } from '../core/conditions.ts';
import { timeText } from '../core/text.ts';
import { counted } from './attempt/failure.ts';
import { endedRanksText } from './attempt/rank-ends.ts';
import { livingPods, ownPods, readyRanks } from './attempt/ranks.ts';
import { hostRange } from './make/hosts.ts';
import { selectorText } from './make/objects.ts';
import type { JobAction, Situation, State } from './situation.ts';
import { conditionsWhenBlocked, jobConditions } from './status/conditions.ts';
import type { JobFacts } from './world.ts';

const MOST_CHANGES = 20;

const STARTED: ReadonlySet<State> = new Set(['Starting', 'Running']);
const ENDED: ReadonlySet<State> = new Set(['Succeeded', 'Failed']);
const HAS_QUOTA: ReadonlySet<State> = new Set(['Admitted', 'Starting', 'Running', 'Suspending']);

/** `action` is the action of the same decision. */
export function statusOf(facts: JobFacts, situation: Situation, action: JobAction): SwarmJobStatus {
  const { job, spec, entry, now } = facts;
  const { meta, status: before } = job;
  const size = entry?.size ?? spec.size;
  const { state, reason, message } = situation;
  const time = timeText(now);
  const failures = counted(before?.failures, situation.failure);
  const wanted = jobConditions(situation, before?.conditions);
  const attempt = attemptOf(facts, situation, action);
  const exitCode = STARTED.has(state) ? undefined : (situation.exitCode ?? before?.exitCode);
  const changes = changesOf(facts, situation, time);
  const startTime = startTimeOf(facts, state, time);
  return {
    observedGeneration: meta.generation,
    state,
    reason,
    message,
    ...quotaOf(facts, state),
    size: STARTED.has(state) ? size : livingPods(ownPods(facts)).length,
    selector: selectorText(job),
    readyRanks: STARTED.has(state) ? readyRanks(facts) : 0,
    ...(STARTED.has(state) && size > 1 && endedRanksOf(facts)),
    hosts: hostRange(meta.name, spec.size),
    ...(attempt !== undefined && { attempt }),
    ...(failures !== undefined && { failures }),
    ...(exitCode !== undefined && { exitCode }),
    submitTime: meta.creationTimestamp,
    ...(startTime !== undefined && { startTime }),
    ...(ENDED.has(state) && {
      finishTime: situation.finishTime ?? before?.finishTime ?? time,
    }),
    history: historyOf(before, changes),
    conditions: nextConditions(before?.conditions, wanted, meta.generation, time),
  };
}

/** The next leader reads from it how ranks have ended whose pods are gone. */
function endedRanksOf({ remembered: { rankEnds } }: JobFacts): Pick<SwarmJobStatus, 'endedRanks'> {
  return rankEnds === undefined ? {} : { endedRanks: endedRanksText(rankEnds) };
}

type Change = NonNullable<SwarmJobStatus['history']>[number];

/**
 * The newest first. The change to Running is written a second later, or with the change after it.
 */
function changesOf(
  { job: { status }, remembered: { firstRun } }: JobFacts,
  { state, reason, message }: Situation,
  time: string,
): readonly Change[] {
  const change = { state, reason, message, time };
  if (firstRun === undefined || status?.state !== 'Starting' || state === 'Starting')
    return [change];
  if (state === 'Running') return [{ ...change, time: firstRun.time }];
  const { message: ran, time: since } = firstRun;
  return [change, { state: 'Running', reason: 'AllRanksRunning', message: ran, time: since }];
}

/** The status has the admission as long as the job holds its quota. */
function quotaOf(
  { entry, job: { status } }: JobFacts,
  state: State,
): Pick<SwarmJobStatus, 'admission' | 'admitTime'> {
  const admitTime = entry?.time ?? status?.admitTime;
  if (admitTime === undefined) return {};
  if (entry === undefined || !HAS_QUOTA.has(state)) return { admitTime };
  const { queue, size, requests, time } = entry;
  return { admission: { queue, size, requests, time }, admitTime };
}

/** The number of the attempt. A batch Job that was created and never started does not count. */
function attemptOf(
  { batchJob, job: { status } }: JobFacts,
  { state, failure }: Situation,
  action: JobAction,
): number | undefined {
  if (batchJob?.attempt === undefined) return status?.attempt;
  const isRun = action === 'start' || (STARTED.has(state) && !isOver(batchJob));
  const hasEnded = batchJob.end !== undefined && (state === 'Succeeded' || failure !== undefined);
  return isRun || hasEnded ? batchJob.attempt : status?.attempt;
}

function startTimeOf(
  { job: { status: before }, remembered: { firstRun } }: JobFacts,
  state: State,
  time: string,
): string | undefined {
  if (state === 'Starting') return undefined;
  if (before?.state === 'Starting' && firstRun !== undefined) return firstRun.time;
  if (state !== 'Running') return before?.startTime;
  return before?.state === 'Running' ? (before.startTime ?? time) : time;
}

/** The newest first. Contains only changes of the state. */
function historyOf(
  before: SwarmJobStatus | undefined,
  changes: readonly Change[],
): NonNullable<SwarmJobStatus['history']> {
  const history = before?.history ?? [];
  if (before?.state === changes[0]?.state) return history;
  return [...changes, ...history].slice(0, MOST_CHANGES);
}

/** The same status with the generation of an edited spec. */
export function statusSeenAnew({ meta, status }: SwarmJob): SwarmJobStatus | undefined {
  const { generation: observedGeneration } = meta;
  if (status?.state === undefined || status.observedGeneration === observedGeneration)
    return undefined;
  const conditions = status.conditions?.map((it) => ({ ...it, observedGeneration }));
  return { ...status, observedGeneration, ...(conditions !== undefined && { conditions }) };
}

/** Keeps all fields that are still true. */
export function statusWhenBlocked(
  { meta, status: before }: SwarmJob,
  state: State,
  blocked: BlockedBy,
  now: number,
): SwarmJobStatus {
  const time = timeText(now);
  const { reason, message } = blocked;
  const wanted = conditionsWhenBlocked(blocked);
  return {
    ...before,
    observedGeneration: meta.generation,
    state,
    reason,
    message,
    history: historyOf(before, [{ state, reason, message, time }]),
    conditions: nextConditions(before?.conditions, wanted, meta.generation, time),
  };
}
