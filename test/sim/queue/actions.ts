// What do users do to queues, jobs, and what the operator made for them? Each action as kubectl
// would do it.
import { LABEL_QUEUE } from '../../../src/api/batch-job.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, dig } from '../../../src/api/objects.ts';
import { ANNOTATION_PAUSED } from '../../../src/core/labels.ts';
import { hasEnded, isTerminating } from '../cluster/facts.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import { evict } from './cluster/evict.ts';
import { rankOf } from './cluster/missing-pods.ts';
import { webhooks } from './cluster/pod-admission.ts';
import { editLedger } from './ledger-edits.ts';
import { jobOf, plainJobOf, queueOf, refOf, USER } from './manifests.ts';
import type { QueueSimWorld } from './queue-world.ts';
import type { QueueAction } from './story.ts';

const resourceQuotaRef = refOf('bound');
const limitRangeRef = refOf('limits');
const webhookRef = refOf('larger');
const GRANT = 'k8slab.info/grant';

/** Throws what the API server answers. */
export function performOnQueues(world: QueueSimWorld, action: QueueAction): unknown {
  const { server } = world;
  switch (action.do) {
    case 'createQueue':
      return server.create(kinds.SwarmQueue, queueOf(action.name, action.spec));
    case 'queue':
      return server.merge(kinds.SwarmQueue, refOf(action.name), { spec: action.patch });
    case 'deleteQueue':
      return server.remove(kinds.SwarmQueue, refOf(action.name));
    case 'createJob':
      return server.create(kinds.SwarmJob, jobOf(action.name, action.spec, action.user));
    case 'job':
      return server.merge(kinds.SwarmJob, refOf(action.name), { spec: action.patch });
    case 'deleteJob':
      return server.remove(kinds.SwarmJob, refOf(action.name));
    case 'user':
      return editUser(world, action);
    case 'createPlain':
      return createPlain(world, action);
    case 'plain':
      return editPlain(world, action);
    case 'annotateQueue': {
      const annotations = { [ANNOTATION_PAUSED]: action.paused ?? null };
      return server.merge(kinds.SwarmQueue, refOf(action.name), { metadata: { annotations } });
    }
    case 'limitRange':
      return setLimits(world, action);
    case 'webhook':
      return action.adds === undefined
        ? server.remove(webhooks, webhookRef)
        : server.put(webhooks, webhookRef, { adds: { cpu: action.adds } });
    case 'ledger':
      return editLedger(world, action.how);
    case 'batchJob':
      return editBatchJob(world, action.name, action.how);
    case 'pod':
      return editPod(world, action);
    case 'status':
      return writeStatus(world, action.name, action.status);
    case 'deleteChild':
      return server.remove(
        kinds[action.kind],
        refOf(action.kind === 'Service' ? action.name : `${action.name}-hosts`),
      );
    case 'resourceQuota':
      return action.hard === undefined
        ? server.remove(kinds.ResourceQuota, resourceQuotaRef)
        : server.put(kinds.ResourceQuota, resourceQuotaRef, {
            ...server.find(kinds.ResourceQuota, resourceQuotaRef),
            spec: { hard: action.hard },
          });
    case 'loseNode':
      world.disturb(action.forMs);
      return world.nodes.lose(action.index, action.forMs);
    case 'restartOperator':
      return world.restartOperator();
    default:
      return action satisfies never;
  }
}

type Of<Do extends QueueAction['do']> = Extract<QueueAction, { readonly do: Do }>;

function createPlain({ server, oracle }: QueueSimWorld, { name, spec }: Of<'createPlain'>): void {
  const job = server.create(kinds.Job, plainJobOf(name, spec));
  // It does not wait for its queue.
  if (spec.isStarted === true) oracle.unsuspend(job);
}

function editPlain({ server, oracle }: QueueSimWorld, { name, how, queue }: Of<'plain'>): void {
  const job = server.get(kinds.Job, refOf(name));
  const isRunning = dig(job, 'spec', 'suspend') !== true;
  // What runs then, runs without its queue, or as it was admitted to another one.
  if (how === 'resume' || (isRunning && (how === 'relabel' || how === 'unlabel')))
    oracle.unsuspend(job);
  if (how === 'delete') server.remove(kinds.Job, refOf(name));
  else if (how === 'scaleUp') {
    const parallelism = 1 + (asNumber(dig(job, 'spec', 'parallelism')) ?? 1);
    oracle.scaleUp(server.merge(kinds.Job, refOf(name), { spec: { parallelism } }));
  } else if (how === 'suspend' || how === 'resume')
    server.merge(kinds.Job, refOf(name), { spec: { suspend: how === 'suspend' } });
  else {
    const labels = { [LABEL_QUEUE]: how === 'unlabel' ? null : queue };
    server.merge(kinds.Job, refOf(name), { metadata: { labels } });
  }
}

function editUser({ server }: QueueSimWorld, { name, user }: Of<'user'>): unknown {
  const isSwarmJob = server.find(kinds.SwarmJob, refOf(name)) !== undefined;
  const annotations = { [USER]: user ?? null };
  return server.merge(isSwarmJob ? kinds.SwarmJob : kinds.Job, refOf(name), {
    metadata: { annotations },
  });
}

function setLimits({ server }: QueueSimWorld, { defaultCpu, maxCpu }: Of<'limitRange'>): unknown {
  if (defaultCpu === undefined && maxCpu === undefined)
    return server.remove(kinds.LimitRange, limitRangeRef);
  const limit = {
    type: 'Container',
    ...(defaultCpu !== undefined && { defaultRequest: { cpu: defaultCpu } }),
    ...(maxCpu !== undefined && { max: { cpu: maxCpu } }),
  };
  return server.put(kinds.LimitRange, limitRangeRef, {
    ...server.find(kinds.LimitRange, limitRangeRef),
    spec: { limits: [limit] },
  });
}

function editBatchJob(
  { server, oracle }: QueueSimWorld,
  name: string,
  how: Extract<QueueAction, { do: 'batchJob' }>['how'],
): void {
  const job = server.get(kinds.Job, refOf(name));
  oracle.interfere(job);
  if (how === 'delete') server.remove(kinds.Job, refOf(name));
  else if (how === 'regrant') {
    const grant = Number(job.metadata.annotations?.[GRANT] ?? 0);
    const annotations = { [GRANT]: String(Math.max(0, grant - 1)) };
    server.merge(kinds.Job, refOf(name), { metadata: { annotations } });
  } else {
    if (how === 'unsuspend') oracle.unsuspend(job);
    server.merge(kinds.Job, refOf(name), { spec: { suspend: how === 'suspend' } });
  }
}

function editPod(
  { server }: QueueSimWorld,
  { name, rank, how }: Extract<QueueAction, { do: 'pod' }>,
) {
  const pod = server
    .all({ kind: kinds.Pod, namespace: NAMESPACE })
    .find(
      (it) =>
        it.metadata.labels?.['k8slab.info/job'] === name && rankOf(it) === rank && !hasEnded(it),
    );
  if (pod === undefined || isTerminating(pod)) return;
  if (how === 'evict') evict(server, pod);
  else server.remove(kinds.Pod, pod.metadata);
}

function writeStatus({ server, oracle }: QueueSimWorld, name: string, status?: object): void {
  const job = server.get(kinds.SwarmJob, refOf(name));
  oracle.makeUp(job);
  server.merge(kinds.SwarmJob, refOf(name), { status: status ?? null }, 'status');
}
