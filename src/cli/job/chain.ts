// Why is a job as it is? The whole chain: its queue, the quota and the jobs before it; or its
// attempt, its batch Job and the pods in their own words.
import { kinds } from '../../api/kinds.ts';
import { asNumber, asString, dig, type KubeObject } from '../../api/objects.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { creationOfRank } from '../../job/observe/creations.ts';
import { type QuotaRow, quotaRows } from '../../queue/quota/rows.ts';
import { type ToldStart, toldStart } from '../../queue/starts.ts';
import { hasCode, orNothing } from '../../runtime/client/errors.ts';
import type { Cluster } from '../cluster/connect.ts';
import { NOT_SEEN, type Place, queueOf, reasonText } from '../views/job-status.ts';
import { decideQueues } from './observe-queues.ts';
import { neededBy, type WaitingRow, waitingIn } from './queue-facts.ts';
import { type RankPod, readRanks } from './ranks.ts';

export type Chain = {
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  /** The word and the sentence; while it waits, with the numbers of this moment. */
  readonly why: string;
  readonly queue?: QueueLink;
  readonly attempt?: number;
  readonly batchJob?: BatchJobLink;
  readonly pods?: readonly RankPod[];
};

export type QueueLink = ToldStart & {
  readonly name: string;
  readonly isThere: boolean;
  readonly strategy?: string;
  readonly quota: readonly QuotaRow[];
  readonly position?: number;
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
  const link = { namespace, name, state: state ?? 'Unknown', why: reasonText(job) };
  // Of a job that waits after a failure, the pods of its last attempt tell why.
  const made = await madeFor(scope, job);
  const tried = { ...(attempt !== undefined && { attempt }), ...made };
  if (!WAITS.has(state)) return { ...link, ...tried };
  return { ...link, ...(await inQueue(scope, job, now)), ...tried };
}

async function inQueue(
  { api }: Scope,
  job: SwarmJob,
  now: number,
): Promise<Pick<Chain, 'queue'> & { readonly why?: string }> {
  const { namespace, uid } = job.meta;
  const name = queueOf(job);
  if (name === undefined) return {};
  const decided = await decideQueues(api, namespace, now);
  const queue = decided.world.queues.find(({ meta }) => meta.name === name);
  const waiting = waitingIn(decided, name);
  const own = waiting.find((it) => it.uid === uid);
  const link: QueueLink = {
    name,
    isThere: queue !== undefined,
    ...(queue?.spec.ok === true && { strategy: queue.spec.value.strategy }),
    quota:
      queue === undefined ? [] : quotaRows(decided.desired, queue, neededBy(decided, uid)?.total),
    ...(own !== undefined && { position: own.position, ...toldStart(own) }),
    waiting: waiting.length,
    before: waiting
      .slice(0, Math.max(0, (own?.position ?? 1) - 1))
      .map((it) => ({ name: it.name, priority: it.priority, reason: it.reason })),
  };
  return { queue: link, ...(own !== undefined && { why: whyOf(job, own) }) };
}

/** In the words of this moment. Why the last attempt failed, only its status says. */
function whyOf({ status }: SwarmJob, { reason, message }: WaitingRow): string {
  const why = `${reason}: ${message}`;
  if (status?.state === undefined) return `${NOT_SEEN}; ${why}`;
  const isFailed = reason === 'BackingOff' && status.reason === reason;
  return isFailed && status.message !== undefined ? `${why} (${status.message})` : why;
}

/** Nothing for a user who may not read what the queue depends on. */
export async function placeOf(scope: Scope, job: SwarmJob, now: number): Promise<Place> {
  if (!WAITS.has(job.status?.state)) return {};
  try {
    const { queue } = await inQueue(scope, job, now);
    if (queue?.position === undefined) return {};
    return { position: queue.position, waiting: queue.waiting, ...toldStart(queue) };
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return {};
    throw error;
  }
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
    ...(pods.length > 0 && { pods }),
  };
}

async function batchJobLink(scope: Scope, batchJob: KubeObject): Promise<BatchJobLink> {
  const { spec, status, metadata } = batchJob;
  const count = (field: string): number => asNumber(dig(status, field)) ?? 0;
  return {
    name: metadata.name,
    isSuspended: dig(spec, 'suspend') === true,
    active: count('active'),
    ready: count('ready'),
    failed: count('failed'),
    events: await warningsOf(scope, batchJob),
  };
}

const MOST_EVENTS = 3;

/** The newest first; none for a user who may not read events. */
async function warningsOf(
  { api }: Scope,
  { metadata: { name, namespace, uid } }: KubeObject,
): Promise<readonly string[]> {
  const selectors = { fieldSelector: `regarding.kind=Job,regarding.name=${name}` };
  try {
    const { items } = await api.list(kinds.Event, namespace, selectors);
    const texts = items
      .filter((it) => dig(it, 'regarding', 'uid') === uid && dig(it, 'type') === 'Warning')
      .sort((a, b) => (timeOf(a) > timeOf(b) ? -1 : 1))
      .map((it) => eventText(asString(it['reason']) ?? '', asString(it['note']) ?? ''));
    return [...new Set(texts)].slice(0, MOST_EVENTS);
  } catch (error) {
    if (hasCode(error, 'Forbidden', 'NotFound')) return [];
    throw error;
  }
}

/** Each try to create a pod has another name: of the same rank they are told as one. */
const eventText = (reason: string, note: string): string =>
  `${reason}: ${creationOfRank(reason, note)?.failure ?? note}`;

const timeOf = (event: KubeObject): string =>
  asString(dig(event, 'series', 'lastObservedTime')) ??
  asString(event['deprecatedLastTimestamp']) ??
  asString(event['eventTime']) ??
  '';
