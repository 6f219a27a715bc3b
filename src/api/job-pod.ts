// Which fields of the pods of batch Jobs does the operator read?
import {
  ANNOTATION_ADDRESSES,
  LABEL_JOB,
  LABEL_QUEUE,
  ownLabels,
  requestsIn,
  wholeIn,
} from './batch-job.ts';
import { kinds } from './kinds.ts';
import {
  asList,
  asNumber,
  asString,
  conditionsOf,
  controllerUid,
  dig,
  type KubeObject,
  type ObjectMeta,
} from './objects.ts';
import { type Identity, identityOf } from './observed.ts';
import { annotated, slimmed } from './slim.ts';
import { tooLargeIn } from './slim-job.ts';
import { oneLine } from './text.ts';
import { statusTelling, troubleOf } from './trouble.ts';

/** On a pod: the UID of its SwarmJob, read when the batch Job is gone. */
export const ANNOTATION_JOB_UID = 'k8slab.info/job-uid';
/** On a pod of an Indexed Job, by Kubernetes. */
export const ANNOTATION_RANK = 'batch.kubernetes.io/job-completion-index';

/** On a pod of any batch Job, by Kubernetes: the UID and the name of the Job. */
export const LABEL_CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const LABEL_BATCH_JOB = 'batch.kubernetes.io/job-name';

/** A condition of a pod that is evicted, preempted, or lost with its node. */
const DISRUPTED = 'DisruptionTarget';

/** A pod of a batch Job. */
export type JobPod = Identity & {
  /** The UID of the batch Job; for an orphan from a label, if it still has one. */
  readonly jobUid: string | undefined;
  /**
   * For a pod without a controller, but with the labels and the name of a batch Job's pod: the name
   * of that Job. The Job was deleted without its pods, or a user has removed a label or the owner
   * of the pod.
   */
  readonly orphanOf: string | undefined;
  /** From its labels and annotations, which identify a pod whose batch Job is gone. */
  readonly swarmJobUid: string | undefined;
  readonly jobName: string | undefined;
  readonly queue: string | undefined;
  readonly rank: number | undefined;
  /** All its containers have ended for good. Until then its requests count. */
  readonly hasEnded: boolean;
  readonly hasSucceeded: boolean;
  readonly isReady: boolean;
  /** All of its containers were started. */
  readonly hasBegun: boolean;
  readonly isTerminating: boolean;
  /** Undefined: it has none yet. */
  readonly ip: string | undefined;
  /** Of all ranks, if its job starts together: until then it waits. */
  readonly hasAddresses: boolean;
  /** For a terminating pod: when its grace period is over. */
  readonly killedAtMs?: number;
  readonly node: string | undefined;
  /** Kubernetes' message about its eviction, its preemption, or the loss of its node. */
  readonly disruption: string | undefined;
  /** The exit code of the first container that did not succeed. */
  readonly exitCode: number | undefined;
  /**
   * Kubernetes' explanation of the exit code: the container was never started, or lacked memory.
   */
  readonly exitWhy: string | undefined;
  /** Why it is not Ready, as a word such as ImagePullBackOff, if there is a reason. */
  readonly trouble: string | undefined;
  /** The parts of its spec with its requests. */
  readonly spec: unknown;
};

export function parseJobPod(object: KubeObject): JobPod {
  const { spec, status, metadata } = object;
  const phase = asString(dig(status, 'phase'));
  const orphanOf = orphanIn(object);
  const failed = endsIn(status).find(({ exitCode }) => exitCode !== 0);
  return {
    ...identityOf(object),
    jobUid:
      controllerUid(object, kinds.Job) ??
      (orphanOf === undefined ? undefined : metadata.labels?.[LABEL_CONTROLLER_UID]),
    orphanOf,
    swarmJobUid: metadata.annotations?.[ANNOTATION_JOB_UID],
    jobName: metadata.labels?.[LABEL_JOB],
    queue: metadata.labels?.[LABEL_QUEUE],
    rank: wholeIn(metadata.annotations?.[ANNOTATION_RANK]),
    hasEnded: phase === 'Succeeded' || phase === 'Failed',
    hasSucceeded: phase === 'Succeeded',
    isReady: trueIn(object, 'Ready') !== undefined,
    hasBegun: phase !== undefined && phase !== 'Pending',
    isTerminating: metadata.deletionTimestamp !== undefined,
    ip: asString(dig(status, 'podIP')),
    hasAddresses: (metadata.annotations?.[ANNOTATION_ADDRESSES] ?? '') !== '',
    ...(metadata.deletionTimestamp !== undefined && {
      killedAtMs: Date.parse(metadata.deletionTimestamp),
    }),
    node: asString(dig(spec, 'nodeName')),
    disruption: disruptionOf(object),
    exitCode: failed?.exitCode,
    exitWhy: failed && whyEnded(failed),
    trouble: troubleOf(object)?.word,
    spec,
  };
}

/** The pod runs for a batch Job, or still does although its Job is gone. */
export const isOfBatchJob = ({ jobUid, orphanOf }: JobPod): boolean =>
  jobUid !== undefined || orphanOf !== undefined;

/**
 * Its name has the form that Kubernetes gives to such pods: a pod that a user has copied has
 * another name.
 */
function orphanIn({ metadata }: KubeObject): string | undefined {
  const { name, labels = {}, ownerReferences = [] } = metadata;
  const job = labels[LABEL_BATCH_JOB] ?? labels[LABEL_JOB];
  if (job === undefined || ownerReferences.some(({ controller }) => controller === true))
    return undefined;
  const [, base = ''] = POD_NAME.exec(name) ?? [];
  const isCut = name.length >= LONGEST_NAME;
  return base === job || (isCut && base !== '' && job.startsWith(base)) ? job : undefined;
}

/** The last part is random, from these letters. */
const POD_NAME = /^(.+?)(?:-\d+)?-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** Kubernetes cuts a longer name of a Job in the names of its pods. */
const LONGEST_NAME = 60;

const orphanLabels = ({ labels = {} }: ObjectMeta): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [LABEL_BATCH_JOB, LABEL_CONTROLLER_UID].flatMap((name) => {
      const value = labels[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Keeps almost nothing of a pod without a batch Job. */
export function slimJobPod(pod: KubeObject): KubeObject {
  const { metadata, spec, status } = pod;
  const isOrphan = orphanIn(pod) !== undefined;
  if (!isOrphan && controllerUid(pod, kinds.Job) === undefined) return slimmed(pod, {});
  return slimmed(pod, {
    metadata: {
      labels: { ...ownLabels(metadata), ...(isOrphan && orphanLabels(metadata)) },
      annotations: {
        ...annotated(metadata, ANNOTATION_RANK, ANNOTATION_JOB_UID).annotations,
        ...shortAddresses(metadata),
      },
    },
    spec: { ...mostOf(requestsIn(spec)), nodeName: dig(spec, 'nodeName') },
    status: {
      phase: dig(status, 'phase'),
      podIP: dig(status, 'podIP'),
      conditions: [...conditionsOf(pod, 'Ready'), ...conditionsOf(pod, DISRUPTED)],
      ...statusTelling(troubleOf(pod)),
      ...endedContainersIn(status),
    },
  });
}

/** Whether there are any is enough: each pod of a gang has the addresses of all. */
function shortAddresses({ annotations = {} }: ObjectMeta): Readonly<Record<string, string>> {
  const addresses = annotations[ANNOTATION_ADDRESSES];
  return addresses === undefined ? {} : { [ANNOTATION_ADDRESSES]: addresses.slice(0, 1) };
}

/** Characters of the containers' requests, as JSON. */
const MOST_OF_POD = 16_384;

/** No queue has admitted such a pod: a user has created it, and its first containers count. */
function mostOf(requests: ReturnType<typeof requestsIn>): object {
  if (tooLargeIn(requests) === undefined) return requests;
  let room = MOST_OF_POD;
  const fits = (container: object): boolean => {
    room -= JSON.stringify(container).length;
    return room >= 0;
  };
  return { containers: requests.containers.filter(fits), initContainers: [] };
}

/** How the start script of a rank begins its message about what the image lacks. */
export const START_FAILED = 'swarm: ';

/** How a container has ended. */
type End = {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
};

const endsIn = (status: unknown): readonly End[] =>
  [
    ...asList(dig(status, 'initContainerStatuses')),
    ...asList(dig(status, 'containerStatuses')),
  ].flatMap((it) => {
    const ended = dig(it, 'state', 'terminated');
    const exitCode = asNumber(dig(ended, 'exitCode'));
    if (exitCode === undefined) return [];
    const [reason = '', message = ''] = ['reason', 'message'].map((field) =>
      asString(dig(ended, field)),
    );
    // For a command that has run, the message is the command's own output, and is omitted.
    const isOurs = NOT_STARTED.has(reason) || message.startsWith(START_FAILED);
    return [{ exitCode, reason, message: isOurs ? message : '' }];
  });

const endedContainersIn = (status: unknown): object => {
  const ends = endsIn(status);
  if (ends.length === 0) return {};
  return {
    initContainerStatuses: ends.map(({ message, ...ended }) => ({
      state: { terminated: { ...ended, message: oneLine(message, LONGEST_MESSAGE) } },
    })),
  };
};

const LONGEST_MESSAGE = 256;
/** The runtime could not start the command: it is no program, or cannot be run. */
const NOT_STARTED: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);
/** Reasons that add nothing to the exit code. */
const PLAIN: ReadonlySet<string> = new Set(['', 'Error', 'Completed']);

function whyEnded({ reason, message }: End): string | undefined {
  if (message.startsWith(START_FAILED))
    return oneLine(message.slice(START_FAILED.length), LONGEST_MESSAGE);
  if (PLAIN.has(reason)) return undefined;
  return oneLine(message === '' ? reason : `${reason}: ${message}`, LONGEST_MESSAGE);
}

const trueIn = (object: KubeObject, type: string): unknown =>
  conditionsOf(object, type).find((it) => dig(it, 'status') === 'True');

function disruptionOf(object: KubeObject): string | undefined {
  const condition = trueIn(object, DISRUPTED);
  if (condition === undefined) return undefined;
  const says = asString(dig(condition, 'message')) || asString(dig(condition, 'reason'));
  return oneLine(says || DISRUPTED);
}
