// Which pods does a batch Job still have to get? An Indexed one for each rank that has none; others
// up to their parallelism.
import { asNumber, asRecord, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { hasEnded, isTerminating } from '../../cluster/facts.ts';
import { completedIn, type JobStatus } from './job-status.ts';

/** Until the controller has counted a pod, the pod stays. */
export const FINALIZER = 'batch.kubernetes.io/job-tracking';
export const RANK = 'batch.kubernetes.io/job-completion-index';

export const rankOf = (pod: KubeObject): number => Number(pod.metadata.annotations?.[RANK]);

export const isTracked = ({ metadata: { finalizers = [] } }: KubeObject): boolean =>
  finalizers.includes(FINALIZER);

export const isIndexed = (job: KubeObject): boolean =>
  dig(job, 'spec', 'completionMode') === 'Indexed';

const completionsOf = (job: KubeObject): number => asNumber(dig(job, 'spec', 'completions')) ?? 1;

export const isComplete = (job: KubeObject, status: JobStatus): boolean =>
  (isIndexed(job) ? completedIn(status).size : status.succeeded) >= completionsOf(job);

/** The ranks of these; undefined: it has none. */
export function missingPods(
  job: KubeObject,
  status: JobStatus,
  own: readonly KubeObject[],
): readonly (number | undefined)[] {
  const completions = completionsOf(job);
  const parallelism = asNumber(dig(job, 'spec', 'parallelism')) ?? 1;
  if (!isIndexed(job)) {
    const wanted = Math.min(parallelism, completions - status.succeeded);
    // It replaces a pod as soon as that is being deleted.
    const active = own.filter((pod) => !hasEnded(pod) && !isTerminating(pod)).length;
    return Array.from({ length: Math.max(0, wanted - active) }, () => undefined);
  }
  // With podReplacementPolicy Failed a rank whose pod is terminating gets no other one.
  const taken = new Set([...completedIn(status), ...own.filter(isTracked).map(rankOf)]);
  const active = own.filter((pod) => !hasEnded(pod)).length;
  return Array.from({ length: completions }, (_, rank) => rank)
    .filter((rank) => !taken.has(rank))
    .slice(0, Math.max(0, parallelism - active));
}

/** `number`: no other pod of the cluster has it. */
export function podOf(job: KubeObject, rank: number | undefined, number: number): KubeObject {
  const { name, namespace = '', uid = '' } = job.metadata;
  const template = dig(job, 'spec', 'template');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name: rank === undefined ? `${name}-${number}` : `${name}-${rank}-${number}`,
      labels: asRecord(dig(template, 'metadata', 'labels')) as Record<string, string>,
      annotations: {
        ...(asRecord(dig(template, 'metadata', 'annotations')) as Record<string, string>),
        ...(rank !== undefined && { [RANK]: String(rank) }),
      },
      finalizers: [FINALIZER],
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
    },
    spec: asRecord(dig(template, 'spec')) ?? {},
  };
}
