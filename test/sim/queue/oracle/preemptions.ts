// Do jobs end for others as it is promised? For one of higher priority, in a queue that preempts,
// none needlessly, and the room that they leave is for that job.
import { kinds } from '../../../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { added, amountsIn, excess } from './amounts.ts';
import { boundsIn } from './bounds.ts';
import { needsOf, saidBy } from './demands.ts';
import type { OracleWorld } from './oracle.ts';
import { type By, isPaused, reasonOf, stateOf, waitingIn, whyNever } from './order.ts';
import type { Past } from './past.ts';
import { type Entry, entriesIn, ledgerOf, livingPods, usageIn } from './scene.ts';
import { maxPerUserIn } from './users.ts';

/** How long a change may take until an operator decides by it. */
const LAG_MS = 1_500;

type Ledgers = { readonly before: readonly Entry[]; readonly after: readonly Entry[] };

/** An operator has written the ledger. */
export function checkPreemptions(
  { server, report, isHindered, wallMs }: OracleWorld,
  past: Past,
  { before, after }: Ledgers,
): void {
  const isMarked = ({ uid, grant }: Entry): boolean =>
    before.some((it) => it.uid === uid && it.grant === grant && it.preemptedBy !== undefined);
  const marked = after.filter((it) => it.preemptedBy !== undefined && !isMarked(it));
  const problem = (message: string): void => report({ oracle: 'preemption', message });
  const isNew = ({ metadata: { uid = '' } }: KubeObject): boolean =>
    past.hasChangedWithin(uid, LAG_MS);
  for (const [uid, victims] of Map.groupBy(marked, (it) => it.preemptedBy ?? '')) {
    const job = jobOf(server, uid);
    const [first] = victims;
    const queue = queueNamed(server, first?.queue ?? '');
    if (job === undefined || queue === undefined || isHindered() || isNew(job) || isNew(queue))
      continue;
    const { name } = job.metadata;
    if (dig(queue, 'spec', 'preemption', 'withinQueue') !== 'LowerPriority')
      problem(`jobs end for ${name}, and ${queue.metadata.name} does not preempt`);
    for (const victim of victims) {
      const own = jobOf(server, victim.uid);
      if (victim.queue !== queue.metadata.name || victim.queue !== queueOfJob(job))
        problem(`${victim.name} of ${victim.queue} ends for ${name} of another queue`);
      if (own !== undefined && !isNew(own) && priorityOf(server, own) >= priorityOf(server, job))
        problem(`${victim.name} ends for ${name}, and its priority is no lower`);
    }
    const isFirst =
      waitingIn(server, before, { wallMs: wallMs(), users: past.users })[0]?.job.metadata.uid ===
      uid;
    if (isFirst && after.every((it) => [undefined, uid].includes(it.preemptedBy)))
      checkNeed({ server, past, after, victims, problem }, job, queue);
  }
  if (!isHindered()) checkStarts({ server, past, before, after, problem });
}

type Check = {
  readonly server: ApiServer;
  readonly past: Past;
  readonly after: readonly Entry[];
  readonly problem: (message: string) => void;
};

/** Without one of them the job would not start. */
function checkNeed(
  { server, after, victims, problem }: Check & { readonly victims: readonly Entry[] },
  job: KubeObject,
  queue: KubeObject,
): void {
  if (hasOtherBounds(server, queue)) return;
  const quota = amountsIn(dig(queue, 'spec', 'quota'));
  const own = after.filter((it) => it.queue === queue.metadata.name);
  const staying = own.filter((it) => it.preemptedBy === undefined && !isEnding(server, it));
  const needs = needsOf(server, job);
  const inUse = added(staying.map(({ requests }) => requests));
  if (excess(added([inUse, needs]), quota).length > 0)
    problem(`jobs end for ${job.metadata.name} in vain: it has no room then`);
  for (const victim of victims)
    if (excess(added([inUse, needs, victim.requests]), quota).length === 0)
      problem(`${victim.name} ends for ${job.metadata.name}, and need not`);
}

/** When the last of them has ended, the job starts. */
function checkStarts({ server, past, before, after, problem }: Check & Ledgers): void {
  for (const [uid, victims] of Map.groupBy(before, (it) => it.preemptedBy ?? '')) {
    if (uid === '' || victims.some((it) => after.some((other) => other.grant === it.grant)))
      continue;
    const job = jobOf(server, uid);
    const queue = queueNamed(server, victims[0]?.queue ?? '');
    if (job === undefined || queue === undefined || hasOtherBounds(server, queue)) continue;
    const hasChanged = [job, queue].some(({ metadata }) =>
      past.hasChangedWithin(metadata.uid ?? '', UNCHANGED_MS),
    );
    const mayStart = ['', 'Waiting'].includes(stateOf(job)) && !isPaused(queue);
    if (!mayStart || hasChanged || past.isMadeUp(uid) || dig(job, 'spec', 'suspend') === true)
      continue;
    if (!after.some((it) => it.uid === uid))
      problem(
        `${victims.map(({ name }) => name).join()} ended for ${job.metadata.name}, which waits`,
      );
  }
}

/** As long as jobs may take to end. */
const UNCHANGED_MS = 15_000;

/** At rest: who waits although those that would make room for it run? */
export function notPreempted(server: ApiServer, by: By): readonly string[] {
  const entries = entriesIn(ledgerOf(server));
  const left = entries
    .filter((it) => it.preemptedBy !== undefined)
    .map(({ name }) => `${name} is to end for another job, and is still admitted`);
  const waiting = waitingIn(server, entries, by);
  const others = server.all({ kind: kinds.SwarmQueue, namespace: NAMESPACE }).flatMap((queue) => {
    if (dig(queue, 'spec', 'preemption', 'withinQueue') !== 'LowerPriority') return [];
    if (hasOtherBounds(server, queue)) return [];
    const first = waiting.find(
      (it) => it.queue === queue.metadata.name && whyNever(it, queue) === undefined,
    );
    if (first === undefined || first.isHeld || hasTimedOut(first.job)) return [];
    const most = asNumber(dig(queue, 'spec', 'maxPriority')) ?? 0;
    const staying = entries
      .filter((it) => it.queue === queue.metadata.name)
      .filter((it) => {
        const job = jobOf(server, it.uid);
        return job === undefined || Math.min(priorityOf(server, job), most) >= first.priority;
      });
    const quota = amountsIn(dig(queue, 'spec', 'quota'));
    // Those that users have started beside the queue stay.
    const pods = livingPods(server).filter(
      ({ jobUid }) =>
        !entries.some(({ uid }) => uid === jobUid) || staying.some(({ uid }) => uid === jobUid),
    );
    const inUse = usageIn(staying, pods)[first.queue] ?? {};
    return excess(added([inUse, first.needs]), quota).length === 0
      ? [`${first.name} waits, and jobs of lower priority have its room`]
      : [];
  });
  return [...left, ...others];
}

/** Than its quota. */
const hasOtherBounds = (server: ApiServer, { spec }: KubeObject): boolean =>
  boundsIn(server).length > 0 || Object.keys(maxPerUserIn(spec)).length > 0;

const hasTimedOut = (job: KubeObject): boolean =>
  JSON.stringify(dig(job, 'status', 'history') ?? []).includes('StartTimedOut') ||
  job.metadata.annotations?.['k8slab.info/queued-again'] !== undefined;

/** It was told to end, by whomever. */
function isEnding(server: ApiServer, { uid }: Entry): boolean {
  const job = jobOf(server, uid);
  const pods = livingPods(server).filter(({ jobUid }) => jobUid === uid);
  return (
    job === undefined ||
    job.metadata.deletionTimestamp !== undefined ||
    dig(job, 'spec', 'suspend') === true ||
    stateOf(job) === 'Suspending' ||
    reasonOf(job) === 'Preempted' ||
    (pods.length > 0 && pods.every(({ isTerminating }) => isTerminating))
  );
}

const jobOf = (server: ApiServer, uid: string): KubeObject | undefined =>
  [kinds.SwarmJob, kinds.Job]
    .flatMap((kind) => server.all({ kind, namespace: NAMESPACE }))
    .find(({ metadata }) => metadata.uid === uid);

const queueNamed = (server: ApiServer, name: string): KubeObject | undefined =>
  server.find(kinds.SwarmQueue, { namespace: NAMESPACE, name });

const queueOfJob = (job: KubeObject): unknown =>
  job.kind === 'Job' ? job.metadata.labels?.['k8slab.info/queue'] : dig(job, 'spec', 'queueName');

const priorityOf = (server: ApiServer, job: KubeObject): number =>
  asNumber(saidBy(server, job, 'priority')) ?? 0;
