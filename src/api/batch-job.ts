// Which fields of batch Jobs does the operator read?
import { ANNOTATION_USER, userIn } from './job-user.ts';
import { kinds } from './kinds.ts';
import {
  asList,
  asNumber,
  asString,
  conditionsOf,
  controllerOf,
  controllerUid,
  dig,
  type KubeObject,
  type ObjectMeta,
} from './objects.ts';
import { type Identity, identityOf } from './observed.ts';
import { slimAffinity } from './pod-affinity.ts';
import { annotated, generationOf, slimmed } from './slim.ts';
import { tooLargeIn } from './slim-job.ts';

/** On a batch Job of a user: the SwarmQueue in which it waits. */
export const LABEL_QUEUE = 'k8slab.info/queue';
/** The prefix of labels on a batch Job that Kueue starts and suspends. */
const KUEUE = 'kueue.x-k8s.io/';
const LABEL_KUEUE = `${KUEUE}queue-name`;
/** The default of `spec.managedBy`. */
const JOB_CONTROLLER = 'kubernetes.io/job-controller';
/** On every object of a SwarmJob: the name of the SwarmJob. */
export const LABEL_JOB = 'k8slab.info/job';
/** On a batch Job: the number under which it may be started, or was taken back. */
export const ANNOTATION_GRANT = 'k8slab.info/grant';
/** On a batch Job: the number of the start of its SwarmJob, from 1. */
export const ANNOTATION_ATTEMPT = 'k8slab.info/attempt';
/**
 * On a user's batch Job, by the operator: the SwarmQueue that admitted it, which its label may no
 * longer name.
 */
export const ANNOTATION_ADMITTED_QUEUE = 'k8slab.info/admitted-queue';
/** On a user's batch Job, by the operator: why it waits in its queue. */
export const ANNOTATION_WAITING = 'k8slab.info/waiting';
/** On a batch Job: the seconds for which earlier attempts of its SwarmJob ran. */
export const ANNOTATION_RAN = 'k8slab.info/ran-seconds';
/** On a SwarmJob's batch Job: the seconds before the deadline that its pods have to end. */
export const ANNOTATION_SIGNAL = 'k8slab.info/signal-seconds';
/** On a user's batch Job, by the operator: the time from which it waits as if it were new. */
export const ANNOTATION_QUEUED_AGAIN = 'k8slab.info/queued-again';
/** On a user's batch Job, by the operator: how often it was started beside its queue. */
export const ANNOTATION_STARTED_BY_HAND = 'k8slab.info/started-by-hand';
/** On a user's batch Job, by the operator: the number of pods that were admitted. */
export const ANNOTATION_ADMITTED_PODS = 'k8slab.info/admitted-pods';
/** On a batch Job, by its user: its priority in its queue. */
export const ANNOTATION_PRIORITY = 'k8slab.info/priority';
/**
 * On the pods of a gang that starts together, by the operator: the addresses of all ranks, one in
 * each line. In the template of the pods, and until all ranks are there, it is empty.
 */
export const ANNOTATION_ADDRESSES = 'k8slab.info/addresses';
/** On the batch Job of a gang whose first rank leads the others: the type of its launcher. */
export const ANNOTATION_LAUNCHER = 'k8slab.info/launcher';
const annotationsRead = [
  ANNOTATION_LAUNCHER,
  ANNOTATION_USER,
  ANNOTATION_ADMITTED_PODS,
  ANNOTATION_PRIORITY,
  ANNOTATION_GRANT,
  ANNOTATION_ATTEMPT,
  ANNOTATION_RAN,
  ANNOTATION_SIGNAL,
  ANNOTATION_ADMITTED_QUEUE,
  ANNOTATION_WAITING,
  ANNOTATION_QUEUED_AGAIN,
  ANNOTATION_STARTED_BY_HAND,
];

export type BatchJob = Identity & {
  readonly createdMs: number;
  /** The start of its deadline; undefined: it does not run. */
  readonly startedMs: number | undefined;
  readonly queue: string | undefined;
  /** The queue that last started it; its label may have changed since. */
  readonly admittedQueue?: string | undefined;
  /**
   * Also set for a Job in no queue, since Kueue manages it. The operator may write to no other
   * Jobs.
   */
  readonly hasQueueLabel: boolean;
  /** The UID of the SwarmJob that controls it. */
  readonly swarmJobUid: string | undefined;
  readonly grant: number | undefined;
  readonly attempt: number | undefined;
  readonly ranSeconds: number | undefined;
  /** The time from its deadline to the deadline of its SwarmJob; undefined: they are the same. */
  readonly signalSeconds?: number | undefined;
  /** The reason and the sentence in its annotation. */
  readonly waits: string | undefined;
  /** The user who submitted it; empty: it names none. */
  readonly user: string;
  /** The number in its annotation. Its user may have made it smaller since. */
  readonly admittedPods?: number | undefined;
  /** The CronJob that created it. */
  readonly cronJob?: { readonly name: string; readonly uid: string } | undefined;
  /** As its user wrote it. */
  readonly priority?: string | undefined;
  readonly deadlineSeconds: number | undefined;
  readonly isSuspended: boolean;
  /** When it was queued again behind the others, since it could not be started. */
  readonly queuedAgainMs?: number | undefined;
  /** When Kubernetes noted the suspension; undefined: it has not. */
  readonly suspendedMs?: number | undefined;
  /** Kubernetes has noted its start, and no suspension since. */
  readonly isResumed: boolean;
  readonly isDeleting: boolean;
  readonly end: BatchJobEnd | undefined;
  /** The number of pods that it runs at a time. */
  readonly parallelism: number;
  /** The number of pods that have to succeed; undefined: the first pod that succeeds decides. */
  readonly completions: number | undefined;
  /** For a Job of a SwarmJob: it has succeeded once rank 0 has, and its other pods end then. */
  readonly endsWithLeader: boolean;
  /** The type of its launcher, if rank 0 leads the others. */
  readonly launcher: string | undefined;
  /** For a Job of a SwarmJob: each rank waits until it has the addresses of all. */
  readonly startsTogether: boolean;
  /** Another controller than that of Kubernetes creates its pods. */
  readonly hasOtherController: boolean;
  /** How often another writer has started it while it waited in its queue. */
  readonly startedByHand: number;
  /** The last writer of `spec.suspend`, as the API server records it: `kubectl-patch`. */
  readonly suspendWriter: string | undefined;
  /** For a labelled Job: the parts of the template with the requests of each pod. */
  readonly podSpec: unknown;
  /** Why these parts are not read; undefined: they are. */
  readonly tooLarge?: string | undefined;
  readonly active: number;
  readonly ready: number;
  /** Pods that are being deleted, according to its controller. */
  readonly terminating: number;
  /** The number of pods that have ended, with any result. */
  readonly endedPods: number;
  /** For an Indexed Job: the ranks that have succeeded, in the form of Kubernetes: `0,2-4`. */
  readonly completedIndexes: string;
};

type BatchJobEnd = {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
  /** Undefined: the end is not recorded yet, and counts as now. */
  readonly time: string | undefined;
};

export function parseBatchJob(object: KubeObject): BatchJob {
  const { spec, status, metadata } = object;
  const swarmJobUid = controllerUid(object, kinds.SwarmJob);
  return {
    ...identityOf(object),
    createdMs: Date.parse(metadata.creationTimestamp ?? ''),
    startedMs: startedIn(status),
    queue: queueOf(object, swarmJobUid),
    admittedQueue: queueNameIn(metadata.annotations?.[ANNOTATION_ADMITTED_QUEUE]),
    hasQueueLabel: metadata.labels?.[LABEL_QUEUE] !== undefined,
    swarmJobUid,
    grant: wholeIn(metadata.annotations?.[ANNOTATION_GRANT]),
    attempt: wholeIn(metadata.annotations?.[ANNOTATION_ATTEMPT]),
    ranSeconds: wholeIn(metadata.annotations?.[ANNOTATION_RAN]),
    signalSeconds: wholeIn(metadata.annotations?.[ANNOTATION_SIGNAL]),
    waits: metadata.annotations?.[ANNOTATION_WAITING],
    user: userIn(metadata.annotations),
    admittedPods: wholeIn(metadata.annotations?.[ANNOTATION_ADMITTED_PODS]),
    cronJob: controllerOf(object, kinds.CronJob),
    priority: metadata.annotations?.[ANNOTATION_PRIORITY],
    deadlineSeconds: asNumber(dig(spec, 'activeDeadlineSeconds')),
    isSuspended: dig(spec, 'suspend') === true,
    queuedAgainMs: Date.parse(metadata.annotations?.[ANNOTATION_QUEUED_AGAIN] ?? '') || undefined,
    suspendedMs: suspendedIn(object),
    isResumed: isResumed(object),
    isDeleting: metadata.deletionTimestamp !== undefined,
    end: endIn(object),
    parallelism: Math.min(
      asNumber(dig(spec, 'parallelism')) ?? 1,
      asNumber(dig(spec, 'completions')) ?? Number.POSITIVE_INFINITY,
    ),
    completions: asNumber(dig(spec, 'completions')),
    endsWithLeader: swarmJobUid !== undefined && endsWithRank0(object),
    launcher: metadata.annotations?.[ANNOTATION_LAUNCHER],
    startsTogether: swarmJobUid !== undefined && addressesIn(object) !== undefined,
    hasOtherController: ![undefined, JOB_CONTROLLER].includes(asString(dig(spec, 'managedBy'))),
    startedByHand: wholeIn(metadata.annotations?.[ANNOTATION_STARTED_BY_HAND]) ?? 0,
    suspendWriter: asString(object['suspendWriter']),
    podSpec: dig(spec, 'template', 'spec'),
    tooLarge: asString(object['tooLarge']),
    active: asNumber(dig(status, 'active')) ?? 0,
    ready: asNumber(dig(status, 'ready')) ?? 0,
    terminating: asNumber(dig(status, 'terminating')) ?? 0,
    endedPods: (asNumber(dig(status, 'succeeded')) ?? 0) + (asNumber(dig(status, 'failed')) ?? 0),
    completedIndexes: asString(dig(status, 'completedIndexes')) ?? '',
  };
}

const endsWithRank0 = ({ spec }: KubeObject): boolean =>
  asList(dig(spec, 'successPolicy', 'rules')).some((it) => dig(it, 'succeededIndexes') === '0');

const addressesIn = ({ spec }: KubeObject): unknown =>
  dig(spec, 'template', 'metadata', 'annotations', ANNOTATION_ADDRESSES);

/**
 * Undefined for a Job that Kueue starts and suspends: otherwise the operator and Kueue would fight.
 */
function queueOf({ metadata, spec }: KubeObject, swarmJobUid?: string): string | undefined {
  const { labels = {} } = metadata;
  if (swarmJobUid !== undefined) return labels[LABEL_QUEUE];
  const isKueues =
    LABEL_KUEUE in labels || asString(dig(spec, 'managedBy'))?.startsWith(KUEUE) === true;
  return isKueues ? undefined : labels[LABEL_QUEUE];
}

/** A user may write any text there. */
const queueNameIn = (text: string | undefined): string | undefined =>
  text !== undefined && /^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/.test(text) ? text : undefined;

/** A Job that was started before Kubernetes noted its suspension has only a start time. */
function isResumed(object: KubeObject): boolean {
  const [condition] = conditionsOf(object, 'Suspended');
  return condition === undefined
    ? startedIn(object['status']) !== undefined
    : dig(condition, 'status') === 'False';
}

function suspendedIn(object: KubeObject): number | undefined {
  const [condition] = conditionsOf(object, 'Suspended');
  if (dig(condition, 'status') !== 'True') return undefined;
  return Date.parse(asString(dig(condition, 'lastTransitionTime')) ?? '') || undefined;
}

/**
 * Twice as many as a SwarmJob may have. The end of larger batch Jobs follows only from Kubernetes.
 */
const MOST_RANKS = 10_000;

/** Ranks that Kubernetes counts as completed. Their pods may be gone. */
export const completedRanks = ({ completedIndexes }: BatchJob): readonly number[] =>
  ranksIn(completedIndexes);

/** "0-3,7" */
export function ranksIn(text: string): readonly number[] {
  const ranks: number[] = [];
  for (const range of text.split(',').filter(Boolean)) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let rank = first; rank <= last && ranks.length < MOST_RANKS; rank += 1) ranks.push(rank);
  }
  return ranks;
}

function startedIn(status: unknown): number | undefined {
  const time = asString(dig(status, 'startTime'));
  return time === undefined ? undefined : Date.parse(time);
}

function endIn(object: KubeObject): BatchJobEnd | undefined {
  for (const type of ['Complete', 'Failed'] as const) {
    const [condition] = conditionsOf(object, type);
    if (dig(condition, 'status') !== 'True') continue;
    const [reason = '', message = '', time] = ['reason', 'message', 'lastTransitionTime'].map(
      (field) => asString(dig(condition, field)),
    );
    return { type, reason, message, time };
  }
  return undefined;
}

export function slimBatchJob(job: KubeObject): KubeObject {
  const { metadata, spec, status } = job;
  const isQueued =
    ownLabels(metadata)[LABEL_QUEUE] !== undefined ||
    metadata.annotations?.[ANNOTATION_ADMITTED_QUEUE] !== undefined;
  const isOfSwarmJob = controllerUid(job, kinds.SwarmJob) !== undefined;
  const isPlain = isQueued && !isOfSwarmJob;
  const { creationTimestamp = '' } = metadata;
  const requests = isPlain ? templateIn(dig(spec, 'template', 'spec')) : undefined;
  const tooLarge = job['tooLarge'] ?? (requests && tooLargeIn(requests));
  const suspendWriter = isPlain ? (job['suspendWriter'] ?? writerOf(job, 'suspend')) : undefined;
  return slimmed(job, {
    ...(tooLarge !== undefined && { tooLarge }),
    ...(suspendWriter !== undefined && { suspendWriter }),
    metadata: {
      creationTimestamp,
      labels: ownLabels(metadata),
      ...annotated(metadata, ...annotationsRead),
      ...generationOf(metadata),
    },
    spec: {
      suspend: dig(spec, 'suspend'),
      parallelism: dig(spec, 'parallelism'),
      completions: dig(spec, 'completions'),
      managedBy: dig(spec, 'managedBy'),
      ...(isOfSwarmJob && gangIn(job)),
      activeDeadlineSeconds: dig(spec, 'activeDeadlineSeconds'),
      ...(requests !== undefined && tooLarge === undefined && { template: { spec: requests } }),
    },
    status: {
      startTime: dig(status, 'startTime'),
      active: dig(status, 'active'),
      ready: dig(status, 'ready'),
      terminating: dig(status, 'terminating'),
      succeeded: dig(status, 'succeeded'),
      failed: dig(status, 'failed'),
      ...indexesIn(status),
      conditions: ['Complete', 'Failed', 'Suspended'].flatMap((type) => conditionsOf(job, type)),
    },
  });
}

/** No user can change these fields of a Job. */
const gangIn = (job: KubeObject): object => ({
  ...(endsWithRank0(job) && { successPolicy: { rules: [{ succeededIndexes: '0' }] } }),
  ...(addressesIn(job) !== undefined && {
    template: { metadata: { annotations: { [ANNOTATION_ADDRESSES]: '' } } },
  }),
});

/** The manager of a field of the spec. */
const writerOf = ({ metadata }: KubeObject, field: string): string | undefined =>
  asString(
    dig(
      asList(dig(metadata, 'managedFields')).find(
        (it) => dig(it, 'fieldsV1', 'f:spec', `f:${field}`) !== undefined,
      ),
      'manager',
    ),
  );

/** Longer than any text that the ranks of a SwarmJob can give. */
const LONGEST_INDEXES = 16_384;

function indexesIn(status: unknown): object {
  const completedIndexes = asString(dig(status, 'completedIndexes')) ?? '';
  return completedIndexes.length > LONGEST_INDEXES ? {} : { completedIndexes };
}

/** The labels that name its queue and its SwarmJob. */
export const ownLabels = ({ labels = {} }: ObjectMeta): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [LABEL_QUEUE, LABEL_JOB, LABEL_KUEUE].flatMap((name) => {
      const value = labels[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The fields that core/pod-requests.ts reads. */
export const requestsIn = (spec: unknown) => ({
  containers: asList(dig(spec, 'containers')).map(requestsOfContainer),
  initContainers: asList(dig(spec, 'initContainers')).map(requestsOfContainer),
  overhead: dig(spec, 'overhead'),
  runtimeClassName: dig(spec, 'runtimeClassName'),
  resources: dig(spec, 'resources'),
});

/** The other fields of a template that ResourceQuotas read. */
const templateIn = (spec: unknown) => ({
  ...requestsIn(spec),
  containers: asList(dig(spec, 'containers')).map(namedRequests),
  initContainers: asList(dig(spec, 'initContainers')).map(namedRequests),
  activeDeadlineSeconds: dig(spec, 'activeDeadlineSeconds'),
  terminationGracePeriodSeconds: dig(spec, 'terminationGracePeriodSeconds'),
  priorityClassName: dig(spec, 'priorityClassName'),
  resourceClaims: dig(spec, 'resourceClaims'),
  affinity: slimAffinity(dig(spec, 'affinity')),
});

const namedRequests = (container: unknown): object => ({
  name: dig(container, 'name'),
  ...requestsOfContainer(container),
});

const requestsOfContainer = (container: unknown): object => ({
  restartPolicy: dig(container, 'restartPolicy'),
  resources: {
    requests: dig(container, 'resources', 'requests'),
    limits: dig(container, 'resources', 'limits'),
  },
});

export const wholeIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
