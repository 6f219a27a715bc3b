// Who has started a batch Job, when, with how many pods, and for which queue?
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';

/** As users of the walk sign what they write. */
export const USER_AGENT = 'swarm-walk';
const QUEUE_LABEL = 'k8slab.info/queue';
/** The annotation that names who submitted a job. */
export const USER = 'k8slab.info/user';

/** From one start to the next. */
export type Run = {
  readonly by: 'queue' | 'hand';
  readonly startedMs: number;
  readonly size: number;
  readonly queue: string | undefined;
};

/** Mutable: the newest state of one batch Job. */
export type BatchFacts = {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** The SwarmJob that controlled it when it was created. */
  readonly swarmJobUid: string | undefined;
  readonly ranks: number;
  /** It ends with rank 0. */
  readonly isLed: boolean;
  readonly user: string | undefined;
  /** Not suspended: it does not wait in a queue. */
  readonly wasCreatedRunning: boolean;
  label: string | undefined;
  labelSinceMs: number;
  isSuspended: boolean;
  isDeleting: boolean;
  isOver: boolean;
  run: Run | undefined;
  /** Starts by hand since the last one by the queue. */
  startsByHand: number;
  /** When a user suspended it last. */
  stoppedByHandMs: number;
};

export function newBatch(job: KubeObject, atMs: number): BatchFacts {
  const { uid = '', name, namespace = '', ownerReferences = [], annotations } = job.metadata;
  const owner = ownerReferences.find(({ kind, controller }) => kind === 'SwarmJob' && controller);
  return {
    ...{ uid, name, namespace, swarmJobUid: owner?.uid },
    ranks: asNumber(dig(job, 'spec', 'completions')) ?? 1,
    isLed: owner !== undefined && dig(job, 'spec', 'successPolicy') !== undefined,
    user: annotations?.[USER],
    wasCreatedRunning: dig(job, 'spec', 'suspend') !== true,
    ...{ label: labelOf(job), labelSinceMs: atMs },
    ...{ isSuspended: true, isDeleting: false, isOver: false, run: undefined },
    ...{ startsByHand: 0, stoppedByHandMs: 0 },
  };
}

/** `queue`: in which its SwarmJob is at this moment, if it has one. */
export function updateBatch(
  facts: BatchFacts,
  job: KubeObject,
  atMs: number,
  queue: string | undefined,
): void {
  const label = labelOf(job);
  if (label !== facts.label) Object.assign(facts, { label, labelSinceMs: atMs });
  const isSuspended = dig(job, 'spec', 'suspend') === true;
  const by = isWrittenByHand(job) ? 'hand' : 'queue';
  if (facts.isSuspended && !isSuspended) {
    const size = asNumber(dig(job, 'spec', 'parallelism')) ?? 1;
    facts.run = { by, startedMs: atMs, size, queue: queue ?? label };
    facts.startsByHand = by === 'hand' ? facts.startsByHand + 1 : 0;
  }
  if (!facts.isSuspended && isSuspended && by === 'hand') facts.stoppedByHandMs = atMs;
  facts.isSuspended = isSuspended;
  facts.isDeleting = job.metadata.deletionTimestamp !== undefined;
  facts.isOver = isOver(job);
}

export const labelOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.[QUEUE_LABEL];

/** By the label of all that is made for one. */
export const isOfSwarmJob = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.['k8slab.info/job'] !== undefined;

export const isOver = ({ status }: KubeObject): boolean =>
  asList(dig(status, 'conditions')).some(
    (it) =>
      ['Complete', 'Failed'].includes(asString(dig(it, 'type')) ?? '') &&
      dig(it, 'status') === 'True',
  );

/** The API server notes who wrote `spec.suspend` last. */
const isWrittenByHand = ({ metadata }: KubeObject): boolean =>
  asList(dig(metadata, 'managedFields')).some(
    (it) =>
      (asString(dig(it, 'manager')) ?? '').startsWith(USER_AGENT) &&
      dig(it, 'fieldsV1', 'f:spec', 'f:suspend') !== undefined,
  );
