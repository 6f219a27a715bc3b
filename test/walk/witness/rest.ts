// What is not as it has to be when users and faults rest? From lists of what there is.
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { isOfSwarmJob, isOver, labelOf } from './batch-jobs.ts';
import { type Amounts, milliCpu } from './pods.ts';
import { amountsIn, quotaIn } from './queues.ts';

/** All of one namespace. */
export type Present = {
  readonly pods: readonly KubeObject[];
  readonly batchJobs: readonly KubeObject[];
  readonly swarmJobs: readonly KubeObject[];
  readonly queues: readonly KubeObject[];
  /** Services, ConfigMaps and Secrets. */
  readonly others: readonly KubeObject[];
  /** The text of its ledger; undefined: there is none. */
  readonly ledger: string | undefined;
};

export function unrestIn(present: Present): readonly string[] {
  const { pods, batchJobs, swarmJobs, queues } = present;
  return [
    ...pods
      .filter((pod) => !['Succeeded', 'Failed'].includes(phaseOf(pod)))
      .map((pod) => `pod ${nameOf(pod)} lives: ${phaseOf(pod)}`),
    ...leftOvers(present),
    ...swarmJobs.flatMap((job) => unrestOfSwarmJob(job, queues)),
    ...batchJobs.flatMap((job) => unrestOfBatchJob(job, queues)),
    ...queues.flatMap((queue) => unrestOfQueue(queue, present)),
    ...ledgerEntries(present.ledger).map((name) => `the ledger has an entry of ${name}`),
  ];
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name;
const phaseOf = (pod: KubeObject): string => asString(dig(pod, 'status', 'phase')) ?? '';
const stateOf = (job: KubeObject): string => asString(dig(job, 'status', 'state')) ?? 'no state';

/** What belongs to a job that is gone, by the job's UID or by the name in its label. */
function leftOvers(present: Present): readonly string[] {
  const { pods, batchJobs, swarmJobs, others } = present;
  const uids = new Set([...swarmJobs, ...batchJobs].map(({ metadata }) => metadata.uid));
  const names = new Set(swarmJobs.map(nameOf));
  const isLeft = ({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject) => {
    const job = labels['k8slab.info/job'];
    return (
      (job !== undefined && !names.has(job)) ||
      ownerReferences.some((owner) => /Job$/.test(owner.kind) && !uids.has(owner.uid))
    );
  };
  return [...pods, ...batchJobs, ...others]
    .filter(isLeft)
    .map((object) => `${object.kind} ${nameOf(object)} is left of a job that is gone`);
}

function unrestOfSwarmJob(job: KubeObject, queues: readonly KubeObject[]): readonly string[] {
  const state = stateOf(job);
  const what = `SwarmJob ${nameOf(job)} is ${state} (${asString(dig(job, 'status', 'message'))})`;
  if (['Succeeded', 'Failed'].includes(state)) return [];
  if (dig(job, 'spec', 'suspend') === true)
    return state === 'Suspended' ? [] : [`${what} and has to be Suspended`];
  const queue = queues.find((it) => nameOf(it) === dig(job, 'spec', 'queueName'));
  if (state === 'Waiting' && neverStarts(wantsOf(job, queue), queue)) return [];
  return [`${what}, though its queue has room for it`];
}

/** A Job by its label: suspended and not over. */
function unrestOfBatchJob(job: KubeObject, queues: readonly KubeObject[]): readonly string[] {
  if (labelOf(job) === undefined || isOver(job) || isOfSwarmJob(job)) return [];
  const queue = queues.find((it) => nameOf(it) === labelOf(job));
  if (dig(job, 'spec', 'suspend') === true && neverStarts(batchWantsOf(job), queue)) return [];
  return [`Job ${nameOf(job)} has not ended, though its queue has room for it`];
}

type Wants = {
  readonly amounts: Amounts;
  readonly priority: number | undefined;
  readonly deadline: number | undefined;
  /** How long before the deadline. */
  readonly signal: number;
};

/** A batch Job has no default deadline. */
function wantsOf(job: KubeObject, queue: KubeObject | undefined): Wants {
  const size = asNumber(dig(job, 'spec', 'size')) ?? 1;
  const cpu = milliCpu(dig(job, 'spec', 'resources', 'requests', 'cpu'));
  return {
    amounts: { pods: size, cpu: size * cpu },
    priority: asNumber(dig(job, 'spec', 'priority')),
    deadline:
      asNumber(dig(job, 'spec', 'activeDeadlineSeconds')) ??
      asNumber(dig(queue, 'spec', 'jobDefaults', 'activeDeadlineSeconds')),
    signal: asNumber(dig(job, 'spec', 'deadlineSignalSeconds')) ?? 0,
  };
}

function batchWantsOf(job: KubeObject): Wants {
  const size = asNumber(dig(job, 'spec', 'parallelism')) ?? 1;
  const [container] = asList(dig(job, 'spec', 'template', 'spec', 'containers'));
  const cpu = milliCpu(dig(container, 'resources', 'requests', 'cpu'));
  const priority = job.metadata.annotations?.['k8slab.info/priority'];
  return {
    amounts: { pods: size, cpu: size * cpu },
    priority: priority === undefined ? undefined : Number(priority),
    deadline: asNumber(dig(job, 'spec', 'activeDeadlineSeconds')),
    signal: 0,
  };
}

/** As docs/how-to/troubleshoot-jobs.md says: `Why a job never starts`. */
function neverStarts(wants: Wants, queue: KubeObject | undefined): boolean {
  const { amounts, priority, deadline, signal } = wants;
  if (queue === undefined || dig(queue, 'spec', 'paused') === true) return true;
  const quota = quotaIn(queue);
  const most = asNumber(dig(queue, 'spec', 'maxActiveDeadlineSeconds'));
  const perUser = amountsIn(dig(queue, 'spec', 'maxPerUser'));
  const isTooLarge = [quota, perUser].some(
    ({ pods, cpu }) => amounts.pods > pods || amounts.cpu > cpu,
  );
  const isTooUrgent = (priority ?? 0) > (asNumber(dig(queue, 'spec', 'maxPriority')) ?? 0);
  const isTooLong = most !== undefined && (deadline === undefined || deadline > most);
  const isBadSignal = deadline !== undefined && signal >= deadline;
  return isTooLarge || isTooUrgent || isTooLong || isBadSignal;
}

/** Nothing lives: nothing is in use. */
function unrestOfQueue(queue: KubeObject, present: Present): readonly string[] {
  const { status } = queue;
  const usage = Object.entries(Object(dig(status, 'usage'))).filter(([, it]) => it !== '0');
  const waiting = waitingIn(nameOf(queue), present);
  const expected = { running: 0, pending: waiting.length };
  return [
    ...usage.map(([name, it]) => `queue ${nameOf(queue)} has ${name}: ${it} in use`),
    ...Object.entries(expected)
      .filter(([field, number]) => (asNumber(dig(status, field)) ?? 0) !== number)
      .map(
        ([field, number]) =>
          `queue ${nameOf(queue)} has ${dig(status, field)} as status.${field}, not ${number}`,
      ),
    ...(dig(status, 'held') === undefined ? [] : [`queue ${nameOf(queue)} has held jobs`]),
  ];
}

function waitingIn(queue: string, { swarmJobs, batchJobs }: Present): readonly KubeObject[] {
  return [
    ...swarmJobs.filter(
      (job) => dig(job, 'spec', 'queueName') === queue && stateOf(job) === 'Waiting',
    ),
    ...batchJobs.filter((job) => labelOf(job) === queue && !isOver(job) && !isOfSwarmJob(job)),
  ];
}

function ledgerEntries(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  try {
    const ledger: unknown = JSON.parse(text);
    return asList(dig(ledger, 'entries')).map((it) => asString(dig(it, 'name')) ?? 'nothing');
  } catch {
    return ['what cannot be read'];
  }
}
