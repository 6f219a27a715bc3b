// Why is a job as it is? The whole chain: its queue, the quota and the jobs before it; or its
// attempt, its batch Job and the pods in their own words.
import { parseBatchJob } from '../../api/batch-job.ts';
import { kinds } from '../../api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../api/objects.ts';
import type { SwarmJob, SwarmQueue } from '../../api/validate.ts';
import { conditionIn, isTrue } from '../../core/conditions.ts';
import { timeText } from '../../core/text.ts';
import { type QuotaRow, quotaRows } from '../../queue/quota/rows.ts';
import { type ToldStart, toldStart } from '../../queue/starts.ts';
import { hasCode, orNothing } from '../../runtime/client/errors.ts';
import type { Cluster } from '../cluster/connect.ts';
import { currentText, labelledText, type Place, queueOf } from '../views/job-status.ts';
import { isCurrent, NOT_SEEN, readyOf } from '../views/state.ts';
import { type CronJobLink, cronJobOf } from './cron-job.ts';
import { stateOfLabelled } from './labelled.ts';
import { decideQueues } from './observe-queues.ts';
import { placedAmong, queuedIn, type WaitingRow, waitingIn } from './queue-facts.ts';
import { readPodsOf, readRanks } from './ranks.ts';
import { type ToldPod, warningsOf, withWarnings } from './warnings.ts';

export type Chain = {
  /** Job: a batch Job that is queued by its label. */
  readonly kind: 'Job' | 'SwarmJob';
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  /** The word and the sentence; while it waits, with the numbers of this moment. */
  readonly why: string;
  /** Which job took its place. */
  readonly preempted?: string;
  readonly queue?: QueueLink;
  /** That made the batch Job. */
  readonly cronJob?: CronJobLink;
  readonly attempt?: number;
  readonly batchJob?: BatchJobLink;
  readonly pods?: readonly ToldPod[];
};

export type QueueLink = ToldStart & {
  readonly name: string;
  readonly isThere: boolean;
  /** Its status does not describe it as it is: why. */
  readonly problem?: string;
  readonly strategy?: string;
  readonly quota: readonly QuotaRow[];
  readonly position?: number;
  /** How many have a position. */
  readonly waiting: number;
  /** Those that go first, the next one first. */
  readonly before: readonly Pick<WaitingRow, 'name' | 'priority' | 'reason'>[];
};

export type BatchJobLink = {
  readonly name: string;
  readonly isSuspended: boolean;
  readonly active: number;
  readonly ready: number;
  readonly failed: number;
  /** Why Kubernetes makes no pods for it, in its own words. */
  readonly events: readonly string[];
};

type Scope = Pick<Cluster, 'api'>;

const WAITS: ReadonlySet<string | undefined> = new Set(['Waiting', undefined]);

export async function chainOf(scope: Scope, job: SwarmJob, now: number): Promise<Chain> {
  const { namespace, name } = job.meta;
  const { state, attempt } = job.status ?? {};
  const link = {
    kind: 'SwarmJob',
    ...{ namespace, name, state: state ?? 'Unknown', why: currentText(job) },
    ...preemptedIn(job),
  } as const;
  // Of a job that waits after a failure, the pods of its last attempt tell why.
  const made = await madeFor(scope, job);
  const tried = { ...(attempt !== undefined && { attempt }), ...made };
  if (!WAITS.has(state)) return { ...link, ...tried };
  const { why, ...queue } = await inQueue(scope, queuedJob(job), now);
  return { ...link, why: currentText(job, why), ...queue, ...tried };
}

function preemptedIn({ status }: SwarmJob): Pick<Chain, 'preempted'> {
  const { message = '' } = conditionIn(status?.conditions, 'Preempted') ?? {};
  return isTrue(status?.conditions, 'Preempted') ? { preempted: message } : {};
}

export async function chainOfLabelled(
  { api }: Scope,
  object: KubeObject,
  now: number,
): Promise<Chain> {
  const job = parseBatchJob(object);
  const { namespace, name, uid, queue } = job;
  const told = stateOfLabelled(job);
  const { state } = told;
  const link = { kind: 'Job', namespace, name, state, why: labelledText(told) } as const;
  const [batchJob, read] = await Promise.all([
    batchJobLink({ api }, object),
    readPodsOf(api, object),
  ]);
  const pods = await withWarnings(api, namespace, read);
  // Why it waits is told already, or was so once.
  const events = batchJob.events.filter((text) => !/^\w+: Waiting: /.test(text));
  const made = { batchJob: { ...batchJob, events }, ...(pods.length > 0 && { pods }) };
  if (!WAITS.has(state) && state !== 'Unknown') return { ...link, ...made };
  const queued = { namespace, uid, queue, isUnseen: state === 'Unknown' };
  const cronJob = await cronJobOf({ api }, job);
  return {
    ...link,
    ...(await inQueue({ api }, queued, now)),
    ...(cronJob !== undefined && { cronJob }),
    ...made,
  };
}

type QueuedJob = {
  readonly namespace: string;
  readonly uid: string;
  readonly queue: string | undefined;
  /** No operator has said anything about it. */
  readonly isUnseen: boolean;
  /** Why its last attempt failed: while it backs off, only its status says so. */
  readonly failure?: string | undefined;
};

const BACKS_OFF = 'BackingOff';

const queuedJob = (job: SwarmJob): QueuedJob => ({
  namespace: job.meta.namespace,
  uid: job.meta.uid,
  queue: queueOf(job),
  isUnseen: job.status?.state === undefined,
  failure: job.status?.reason === BACKS_OFF ? job.status.message : undefined,
});

async function inQueue(
  { api }: Scope,
  { namespace, uid, queue: name, isUnseen, failure }: QueuedJob,
  now: number,
): Promise<Pick<Chain, 'queue'> & { readonly why?: string }> {
  if (name === undefined) return {};
  const decided = await decideQueues(api, namespace, now);
  const queue = decided.world.queues.find(({ meta }) => meta.name === name);
  const waiting = waitingIn(decided, name);
  const placed = placedAmong(waiting);
  const own = waiting.find((it) => it.uid === uid);
  const problem = queue && queueProblem(queue);
  const link: QueueLink = {
    name,
    isThere: queue !== undefined,
    ...(problem !== undefined && { problem }),
    ...(queue?.spec.ok === true && { strategy: queue.spec.value.strategy }),
    quota: queue === undefined ? [] : quotaRows(decided.desired, queue, queuedIn(decided, uid)),
    ...(own?.position !== undefined && { position: own.position, ...toldStart(own) }),
    waiting: placed.length,
    before: placed
      .slice(0, Math.max(0, (own?.position ?? 1) - 1))
      .map((it) => ({ name: it.name, priority: it.priority, reason: it.reason })),
  };
  return { queue: link, ...(own !== undefined && { why: whyOf({ isUnseen, failure }, own) }) };
}

function queueProblem(queue: SwarmQueue): string | undefined {
  if (readyOf(queue) === undefined) return 'no operator has reconciled the queue yet';
  return isCurrent(queue)
    ? undefined
    : 'the operator has not reconciled the change of the queue yet';
}

/** In the words of this moment. */
function whyOf(
  { isUnseen, failure }: Pick<QueuedJob, 'failure' | 'isUnseen'>,
  { reason, message }: WaitingRow,
): string {
  const why = `${reason}: ${message}`;
  if (isUnseen) return `${NOT_SEEN}; ${why}`;
  return reason === BACKS_OFF && failure !== undefined ? `${why} (${failure})` : why;
}

/** Nothing for a user who may not read what the queue depends on. */
export async function placeOf(scope: Scope, job: SwarmJob, now: number): Promise<Place> {
  try {
    if (!WAITS.has(job.status?.state)) return await endOf(scope, job);
    const { queue } = await inQueue(scope, queuedJob(job), now);
    if (queue === undefined) return {};
    const { position, waiting, problem } = queue;
    return {
      ...(problem !== undefined && { queueProblem: problem }),
      ...(position !== undefined && { position, waiting, ...toldStart(queue) }),
    };
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return {};
    throw error;
  }
}

/** Of one that runs. Kubernetes ends its batch Job then. */
async function endOf({ api }: Scope, { meta, status }: SwarmJob): Promise<Place> {
  if (status?.state !== 'Running') return {};
  const { namespace, name, uid } = meta;
  const found = await orNothing(api.get(kinds.Job, { namespace, name }));
  if (found === undefined) return {};
  const { swarmJobUid, startedMs, deadlineSeconds, signalSeconds = 0 } = parseBatchJob(found);
  if (swarmJobUid !== uid || startedMs === undefined || deadlineSeconds === undefined) return {};
  const toldMs = startedMs + deadlineSeconds * 1_000;
  return {
    endsBy: timeText(toldMs + signalSeconds * 1_000),
    ...(signalSeconds > 0 && { toldToEndBy: timeText(toldMs) }),
  };
}

async function madeFor(
  { api }: Scope,
  { meta }: SwarmJob,
): Promise<Pick<Chain, 'batchJob' | 'pods'>> {
  const { namespace, name, uid } = meta;
  const [found, pods] = await Promise.all([
    orNothing(api.get(kinds.Job, { namespace, name })),
    readRanks(api, meta),
  ]);
  const isOwn = found?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
  return {
    ...(found !== undefined && isOwn && { batchJob: await batchJobLink({ api }, found) }),
    ...(pods.length > 0 && { pods: await withWarnings(api, namespace, pods) }),
  };
}

async function batchJobLink({ api }: Scope, batchJob: KubeObject): Promise<BatchJobLink> {
  const { spec, status, metadata } = batchJob;
  const count = (field: string): number => asNumber(dig(status, field)) ?? 0;
  return {
    name: metadata.name,
    isSuspended: dig(spec, 'suspend') === true,
    active: count('active'),
    ready: count('ready'),
    failed: count('failed'),
    events: await warningsOf(api, kinds.Job, metadata),
  };
}
