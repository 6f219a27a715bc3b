// What is wrong when all should be at rest? Jobs, queues and the ledger as their users see them.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asNumber, asRecord, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { hasEnded, isReady, ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { requestsOfPod } from '../cluster/counted.ts';
import { isTracked } from '../cluster/missing-pods.ts';
import { webhooks } from '../cluster/pod-admission.ts';
import { endsByItself, workIn } from '../work.ts';
import { type Amounts, added, amountsIn, excess, times } from './amounts.ts';
import { boundsIn, lackedOf } from './bounds.ts';
import {
  deadlineOf,
  grantedIn,
  hasEnd,
  isLacking,
  isResting,
  needsOf,
  plainJobsIn,
  queueOf,
  saidBy,
  sizeOf,
} from './demands.ts';
import {
  admissible,
  type By,
  failuresIn,
  reasonOf,
  stateOf,
  waitingIn,
  whyNever,
} from './order.ts';
import type { Past } from './past.ts';
import { notPreempted } from './preemptions.ts';
import { waitingProblems } from './reasons.ts';
import { entriesIn, ledgerOf, livingPods, usageIn } from './scene.ts';

type Rest = {
  readonly server: ApiServer;
  readonly wallMs: number;
  readonly past: Past;
  /** The number of pods that the nodes hold at a time; undefined: no bound. */
  readonly podsOnNodes?: number | undefined;
};

const byOf = ({ wallMs, past: { users } }: Rest): By => ({ wallMs, users });

export function problemsAtRest(rest: Rest): readonly string[] {
  const { server } = rest;
  const jobs = server.all({ kind: kinds.SwarmJob, namespace: NAMESPACE });
  return [
    ...jobs.flatMap((job) => jobProblems(rest, job).map((it) => `${job.metadata.name}: ${it}`)),
    ...plainJobsIn(server).flatMap((job) =>
      plainProblems(rest, job).map((it) => `batch Job ${job.metadata.name}: ${it}`),
    ),
    ...strayJobs(server).map((job) => `batch Job ${job.metadata.name}: it still runs`),
    ...admissible(server, byOf(rest)).map(({ name }) => `${name} waits, and there is room for it`),
    ...notPreempted(server, byOf(rest)),
    ...queueProblems(rest),
    ...starved(rest, jobs),
    ...leftOver(server),
  ];
}

/** The nodes have room for each of them alone. */
const starved = ({ podsOnNodes }: Rest, jobs: readonly KubeObject[]): readonly string[] =>
  jobs
    .filter((job) => podsOnNodes !== undefined && sizeOf(job) <= podsOnNodes)
    .filter((job) => stateOf(job) === 'Failed' && reasonOf(job) === 'StartTimedOut')
    .map(({ metadata }) => `${metadata.name} failed, since others had a part of the nodes`);

function jobProblems(rest: Rest, job: KubeObject): readonly string[] {
  const { server, past } = rest;
  const { uid = '', generation } = job.metadata;
  const state = stateOf(job);
  const own = livingPods(server).filter((pod) => pod.jobUid === uid);
  const hasEntry = entriesIn(ledgerOf(server)).some((it) => it.uid === uid);
  const problems: string[] = [];
  if (dig(job, 'status', 'observedGeneration') !== generation)
    problems.push('its status is of an earlier spec');
  if (state !== 'Running' && own.length > 0) problems.push(`it is ${state}, and has pods`);
  if (state !== 'Running' && hasEntry) problems.push(`it is ${state}, and has an entry`);
  if (state === 'Running' && !hasEntry) problems.push('it runs, and has no entry');
  const isEnded = state === 'Succeeded' || state === 'Failed';
  if (!isEnded && (dig(job, 'spec', 'suspend') === true) !== (state === 'Suspended'))
    problems.push(`it is ${state}, and suspend is ${String(dig(job, 'spec', 'suspend'))}`);
  if (state === 'Waiting') problems.push(...waitingProblems(server, byOf(rest), job));
  else if (state === 'Running') problems.push(...runningProblems(rest, job));
  else if (!isEnded && state !== 'Suspended') problems.push(`it is ${state}`);
  const ttl = asNumber(saidBy(server, job, 'ttlSecondsAfterFinished'));
  if (isEnded && ttl !== undefined && dig(job, 'status', 'finishTime') !== undefined)
    problems.push('its time is over, and it is still there');
  if (!past.isMadeUp(uid)) problems.push(...countProblems(rest, job));
  return problems;
}

function runningProblems({ server, past }: Rest, job: KubeObject): readonly string[] {
  const { uid } = job.metadata;
  const pods = server
    .all({ kind: kinds.Pod, namespace: NAMESPACE })
    .filter((pod) => pod.metadata.annotations?.['k8slab.info/job-uid'] === uid);
  const living = pods.filter((pod) => !hasEnded(pod));
  const batchJob = server.all({ kind: kinds.Job }).find((it) => ownerUid(it) === uid);
  const completed = asNumber(dig(batchJob, 'status', 'succeeded')) ?? 0;
  const ready = living.filter(isReady).length + completed;
  const hasStarted = (pod: KubeObject): boolean => dig(pod, 'status', 'phase') === 'Running';
  const attempt = asNumber(dig(job, 'status', 'attempt')) ?? 1;
  if (living.some((pod) => hasStarted(pod) && endsByItself(workIn(pod), attempt)))
    return ['it still runs'];
  if (living.length === 0) return ['it has no pods'];
  const queue = server.find(kinds.SwarmQueue, {
    namespace: NAMESPACE,
    name: queueOf(job) ?? '',
  });
  const most = dig(queue, 'spec', 'maxActiveDeadlineSeconds');
  if (deadlineOf(job, queue) !== undefined || most !== undefined)
    return ['it runs until its deadline'];
  // A status that was made up says that it runs, however long it takes to start.
  if (past.isMadeUp(uid ?? '')) return [];
  const size = asNumber(dig(job, 'spec', 'size')) ?? 1;
  const told = asNumber(dig(job, 'status', 'readyRanks'));
  if (ready !== size || told !== size)
    return [`${ready} of ${size} ranks are ready, and status says ${told}`];
  return [];
}

/** Of a batch Job of a user. */
function plainProblems({ server, past, wallMs }: Rest, job: KubeObject): readonly string[] {
  const { uid = '' } = job.metadata;
  const own = livingPods(server).filter(({ batchUid }) => batchUid === uid);
  const entry = entriesIn(ledgerOf(server)).find((it) => it.uid === uid);
  const hasEntry = entry !== undefined;
  const isSuspended = dig(job, 'spec', 'suspend') === true;
  if (isSuspended || hasEnd(job)) {
    if (own.length > 0) return ['it may not run, and has pods'];
    if (hasEntry) return ['it may not run, and has an entry'];
    return !hasEnd(job) && isResting(job, wallMs) ? ['it is queued again soon'] : [];
  }
  if (!hasEntry && !past.isUnsuspended(uid)) return ['it runs, and has no entry'];
  if (hasEntry && sizeOf(job) > entry.size) return ['it may have more pods than its entry'];
  const all = server
    .all({ kind: kinds.Pod, namespace: NAMESPACE })
    .filter((pod) => ownerUid(pod) === uid);
  if (all.some((pod) => hasEnded(pod) && isTracked(pod))) return ['its pods are not counted yet'];
  const pods = all.filter((pod) => !hasEnded(pod));
  const isBusy = pods.some(isOverSoon);
  const hasDeadline = dig(job, 'spec', 'activeDeadlineSeconds') !== undefined;
  const mayRun = pods.length === 0 && !isRefusedForGood(server, job);
  return isBusy || hasDeadline || mayRun ? ['it still runs'] : [];
}

/** That have lost their label, hold some of their quota until they have ended, and end soon. */
function strayJobs(server: ApiServer): readonly KubeObject[] {
  const entries = entriesIn(ledgerOf(server));
  return server
    .all({ kind: kinds.Job, namespace: NAMESPACE })
    .filter((job) => ownerUid(job) === undefined && queueOf(job) === undefined && !hasEnd(job))
    .filter(({ metadata: { uid } }) => entries.some((it) => it.uid === uid))
    .filter(({ metadata: { uid } }) =>
      server
        .all({ kind: kinds.Pod, namespace: NAMESPACE })
        .filter((pod) => ownerUid(pod) === uid && !hasEnded(pod))
        .every(isOverSoon),
    );
}

function isOverSoon(pod: KubeObject): boolean {
  const { never, forMs } = workIn(pod);
  return never === undefined && forMs !== undefined;
}

/** Not one of its pods may be made, also when those have ended that end by themselves. */
function isRefusedForGood(server: ApiServer, job: KubeObject): boolean {
  const bounds = boundsIn(server);
  const perPod = times(needsOf(server, job), 1 / sizeOf(job));
  const staying = server
    .all({ kind: kinds.Pod, namespace: NAMESPACE })
    .filter((pod) => !hasEnded(pod) && !isOverSoon(pod));
  const inUse = added(staying.map((pod) => requestsOfPod(pod['spec'])));
  return (
    isLacking(server, job) ||
    isAboveLimit(server, perPod) ||
    (bounds.length > 0 && server.all({ kind: webhooks, namespace: NAMESPACE }).length > 0) ||
    lackedOf(bounds, perPod, inUse).length > 0
  );
}

/** A pod has one container, or limits like one. */
const isAboveLimit = (server: ApiServer, perPod: Amounts): boolean =>
  server
    .all({ kind: kinds.LimitRange, namespace: NAMESPACE })
    .flatMap(({ spec }) => asList(dig(spec, 'limits')))
    .some((limit) => excess(perPod, amountsIn(dig(limit, 'max'))).length > 0);

/** Each failure was counted once. */
function countProblems({ server, past }: Rest, job: KubeObject): readonly string[] {
  const { uid = '' } = job.metadata;
  if (past.isInterfered(uid)) return [];
  const { application = 0, disruption = 0, image = 0, start = 0 } = failuresIn(job);
  const failures = past.failuresOf(uid).filter(({ reason }) => reason !== 'DeadlineExceeded');
  // Of one that was over by its deadline, the last may have failed just before, unseen.
  const last = server.all({ kind: kinds.Job }).find((it) => ownerUid(it) === uid)?.metadata.uid;
  const isLate = reasonOf(job) === 'DeadlineExceeded';
  const least = failures.filter((it) => !it.isUnclear && !(isLate && it.batchUid === last)).length;
  const counted = application + disruption;
  const problems: string[] = [];
  // An attempt that failed unseen may be counted as one that took too long to start.
  if (counted + image + start < least || counted > failures.length)
    problems.push(`${failures.length} attempts failed, and ${counted} are counted`);
  const history = asList(dig(job, 'status', 'history'));
  const late = history.filter(
    (it) => dig(it, 'reason') === 'StartTimedOut' && dig(it, 'state') === 'Suspending',
  ).length;
  if (history.length < 20 && late !== image + start)
    problems.push(`${late} starts took too long, and ${image + start} are counted`);
  return problems;
}

/** Its numbers are those that its users count. */
function queueProblems(rest: Rest): readonly string[] {
  const { server } = rest;
  const entries = entriesIn(ledgerOf(server));
  const usage = usageIn(grantedIn(server), livingPods(server));
  const jobs = server.all({ kind: kinds.SwarmJob, namespace: NAMESPACE });
  const all = waitingIn(server, entries, byOf(rest));
  const batchUids = new Set(server.all({ kind: kinds.Job }).map(({ metadata }) => metadata.uid));
  return server.all({ kind: kinds.SwarmQueue, namespace: NAMESPACE }).flatMap((queue) => {
    const { name } = queue.metadata;
    const own = jobs.filter((job) => queueOf(job) === name);
    const inOrder = all.filter((it) => it.queue === name);
    // Those that can never start hide none of the others.
    const canStart = (it: (typeof all)[number]): boolean =>
      [undefined, 'QueuePaused'].includes(whyNever(it, queue));
    const never = inOrder.filter((it) => !canStart(it));
    const waiting = [...inOrder.filter(canStart), ...never].map((it) => it.name);
    // A batch Job that was admitted runs in this queue, also when its label was changed since.
    const running =
      own.filter((job) => stateOf(job) === 'Running').length +
      entries.filter((it) => it.queue === name && batchUids.has(it.uid)).length;
    const told = asRecord(queue['status']) ?? {};
    const used = usage[name] ?? {};
    const says = amountsIn(told['usage']);
    const listed = asList(told['waiting']).map((it) => dig(it, 'name'));
    return [
      ...(told['running'] === running
        ? []
        : [`${name} says ${told['running']} running: ${running}`]),
      ...(told['pending'] === waiting.length
        ? []
        : [`${name} says ${told['pending']} pending: ${waiting.length}`]),
      ...(isSame(says, used) ? [] : [`${name} says in use: ${JSON.stringify(says)}`]),
      ...(listed.join() === waiting.slice(0, 10).join()
        ? []
        : [`${name} lists ${listed.join()} as waiting: ${waiting.join()}`]),
    ];
  });
}

const isSame = (a: Amounts, b: Amounts): boolean =>
  Object.values(added([a, negative(b)])).every((amount) => amount === 0);

const negative = (amounts: Amounts): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, -amount]));

/** Nothing stays of what is gone. */
function leftOver(server: ApiServer): readonly string[] {
  const uids = new Set(
    [kinds.SwarmJob, kinds.Job].flatMap((kind) =>
      server.all({ kind, namespace: NAMESPACE }).map(({ metadata }) => metadata.uid),
    ),
  );
  const owned = [kinds.Job, kinds.Service, kinds.ConfigMap, kinds.Secret, kinds.Pod].flatMap(
    (kind) =>
      server
        .all({ kind, namespace: NAMESPACE })
        .filter(
          ({ metadata: { ownerReferences = [], labels = {} } }) =>
            (ownerReferences.length > 0 || 'k8slab.info/job' in labels) &&
            !ownerReferences.some(({ uid }) => uids.has(uid)),
        )
        .map(({ metadata }) => `${kind.kind} ${metadata.name} is left over`),
  );
  const ledger = ledgerOf(server);
  const gone = entriesIn(ledger)
    .filter(({ uid }) => !uids.has(uid))
    .map(({ name }) => `the ledger has an entry of ${name}, which is gone`);
  const isUnused =
    plainJobsIn(server).length === 0 &&
    [kinds.SwarmJob, kinds.SwarmQueue].every(
      (kind) => server.all({ kind, namespace: NAMESPACE }).length === 0,
    );
  return [
    ...owned,
    ...gone,
    ...(isUnused && ledger !== undefined ? ['the ledger is left over'] : []),
  ];
}
