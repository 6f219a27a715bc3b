// What does the operator read of the pods of batch Jobs?
import { LABEL_JOB, LABEL_QUEUE, ownLabels, requestsIn, wholeIn } from './batch-job.ts';
import { kinds } from './kinds.ts';
import {
  asList,
  asNumber,
  asString,
  conditionsOf,
  controllerUid,
  dig,
  type KubeObject,
} from './objects.ts';
import { type Identity, identityOf } from './observed.ts';
import { annotated, slimmed } from './slim.ts';
import { tooLargeIn } from './slim-job.ts';
import { oneLine } from './text.ts';
import { statusTelling, troubleOf } from './trouble.ts';

/** On a pod: the UID of its SwarmJob, for when its batch Job is gone. */
export const ANNOTATION_JOB_UID = 'k8slab.info/job-uid';
/** On a pod of an Indexed Job, by Kubernetes. */
export const ANNOTATION_RANK = 'batch.kubernetes.io/job-completion-index';

/** A condition of a pod that is evicted, preempted, or lost with its node. */
const DISRUPTED = 'DisruptionTarget';

/** A pod of a batch Job. */
export type JobPod = Identity & {
  /** UID of the batch Job. */
  readonly jobUid: string | undefined;
  /** By its labels and annotations: what is known of a pod whose batch Job is gone. */
  readonly swarmJobUid: string | undefined;
  readonly jobName: string | undefined;
  readonly queue: string | undefined;
  readonly rank: number | undefined;
  /** All its containers have ended for good. Until then its requests count. */
  readonly hasEnded: boolean;
  readonly hasSucceeded: boolean;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly node: string | undefined;
  /** By an eviction, a preemption or the loss of its node, in the words of Kubernetes. */
  readonly disruption: string | undefined;
  /** Of the first container that ended in another way than well. */
  readonly exitCode: number | undefined;
  /** Why it is not Ready, in a word such as ImagePullBackOff, if there is one. */
  readonly trouble: string | undefined;
  /** The parts of its spec that say what it requests. */
  readonly spec: unknown;
};

export function parseJobPod(object: KubeObject): JobPod {
  const { spec, status, metadata } = object;
  const phase = asString(dig(status, 'phase'));
  return {
    ...identityOf(object),
    jobUid: controllerUid(object, kinds.Job),
    swarmJobUid: metadata.annotations?.[ANNOTATION_JOB_UID],
    jobName: metadata.labels?.[LABEL_JOB],
    queue: metadata.labels?.[LABEL_QUEUE],
    rank: wholeIn(metadata.annotations?.[ANNOTATION_RANK]),
    hasEnded: phase === 'Succeeded' || phase === 'Failed',
    hasSucceeded: phase === 'Succeeded',
    isReady: trueIn(object, 'Ready') !== undefined,
    isTerminating: metadata.deletionTimestamp !== undefined,
    node: asString(dig(spec, 'nodeName')),
    disruption: disruptionOf(object),
    exitCode: exitCodesIn(status).find((code) => code !== 0),
    trouble: troubleOf(object),
    spec,
  };
}

/** Of a pod that no batch Job controls, almost nothing. */
export function slimJobPod(pod: KubeObject): KubeObject {
  const { metadata, spec, status } = pod;
  if (controllerUid(pod, kinds.Job) === undefined) return slimmed(pod, {});
  return slimmed(pod, {
    metadata: {
      labels: ownLabels(metadata),
      ...annotated(metadata, ANNOTATION_RANK, ANNOTATION_JOB_UID),
    },
    spec: { ...mostOf(requestsIn(spec)), nodeName: dig(spec, 'nodeName') },
    status: {
      phase: dig(status, 'phase'),
      conditions: [...conditionsOf(pod, 'Ready'), ...conditionsOf(pod, DISRUPTED)],
      ...statusTelling(troubleOf(pod)),
      ...endedContainersIn(status),
    },
  });
}

/** Characters of the containers' requests, as JSON. */
const MOST_OF_POD = 16_384;

/** No queue has admitted more: a user has made such a pod, and the first containers count. */
function mostOf(requests: ReturnType<typeof requestsIn>): object {
  if (tooLargeIn(requests) === undefined) return requests;
  let room = MOST_OF_POD;
  const fits = (container: object): boolean => {
    room -= JSON.stringify(container).length;
    return room >= 0;
  };
  return { containers: requests.containers.filter(fits), initContainers: [] };
}

const exitCodesIn = (status: unknown): readonly number[] =>
  [...asList(dig(status, 'initContainerStatuses')), ...asList(dig(status, 'containerStatuses'))]
    .map((it) => asNumber(dig(it, 'state', 'terminated', 'exitCode')))
    .filter((code) => code !== undefined);

const endedContainersIn = (status: unknown): object => {
  const codes = exitCodesIn(status);
  if (codes.length === 0) return {};
  return {
    initContainerStatuses: codes.map((exitCode) => ({ state: { terminated: { exitCode } } })),
  };
};

const trueIn = (object: KubeObject, type: string): unknown =>
  conditionsOf(object, type).find((it) => dig(it, 'status') === 'True');

function disruptionOf(object: KubeObject): string | undefined {
  const condition = trueIn(object, DISRUPTED);
  if (condition === undefined) return undefined;
  const says = asString(dig(condition, 'message')) || asString(dig(condition, 'reason'));
  return oneLine(says || DISRUPTED);
}
