// What do Kubernetes and its users do with a batch Job and its pods? A Job controller and a kubelet
// in a few lines, one step at a time.
import { type BatchJob, parseBatchJob, slimBatchJob } from '../../src/api/batch-job.ts';
import { ANNOTATION_RANK, type JobPod, parseJobPod, slimJobPod } from '../../src/api/job-pod.ts';
import {
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
} from '../../src/api/objects.ts';
import { memoize } from '../../src/core/memoize.ts';
import { timeText } from '../../src/core/text.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');

type Spec = Readonly<Record<string, unknown>>;
type End = { readonly type: 'Complete' | 'Failed'; readonly reason: string };

/** How a pod ends. */
type PodEnd =
  | { readonly exitCode: number; readonly reason?: string; readonly message?: string }
  | 'Disrupted';

/** As the API server notes it. */
const EVICTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

/** Of the letters that Kubernetes takes for the last part of a pod's name. */
const suffixOf = (number: number): string =>
  [1, 27, 729, 19_683, 531_441]
    .map((unit) => 'bcdfghjklmnpqrstvwxz2456789'[Math.floor(number / unit) % 27])
    .join('');

const parsedBatchJob = memoize((job: KubeObject) => parseBatchJob(slimBatchJob(job)));
const parsedPod = memoize((pod: KubeObject) => parseJobPod(slimJobPod(pod)));

export class SimulatedBatchJob {
  now = NOW;
  batchJob: KubeObject | undefined;
  pods: KubeObject[] = [];
  #version = 1;
  #uids = 0;
  /** The batch Job fails as soon as its pods have ended. */
  #failing: End | undefined;

  protected stored(object: KubeObject, uid = object.metadata.uid): KubeObject {
    this.#version += 1;
    this.#uids += 1;
    const identity = { uid: uid ?? `uid-${this.#uids}`, resourceVersion: String(this.#version) };
    return { ...object, metadata: { ...object.metadata, ...identity } };
  }

  get parsedBatchJob(): BatchJob | undefined {
    return this.batchJob && parsedBatchJob(this.batchJob);
  }

  get parsedPods(): readonly JobPod[] {
    return this.pods.map(parsedPod);
  }

  get living(): readonly JobPod[] {
    return this.parsedPods.filter(({ hasEnded }) => !hasEnded);
  }

  protected createBatchJob(object: KubeObject): void {
    if (this.batchJob !== undefined) throw new Error('AlreadyExists');
    this.batchJob = this.stored(object);
    this.#failing = undefined;
  }

  get #own(): readonly JobPod[] {
    return this.parsedPods.filter(({ jobUid }) => jobUid === this.batchJob?.metadata.uid);
  }

  /** Pods are made where they are due, deleted where they are not; ends are noted. */
  controllerSyncs(): this {
    const { batchJob } = this;
    this.#collectGarbage();
    if (batchJob === undefined || this.parsedBatchJob?.end !== undefined) return this;
    const own = this.#own;
    const living = own.filter(({ hasEnded }) => !hasEnded);
    const failed = own.filter(({ hasEnded, hasSucceeded }) => hasEnded && !hasSucceeded);
    const [first] = failed;
    if (first !== undefined && this.#failing === undefined && !this.#hasLedWell(batchJob))
      this.#failing = {
        type: 'Failed',
        reason: first.disruption !== undefined ? 'PodFailurePolicy' : 'BackoffLimitExceeded',
      };
    const isSuspended = dig(batchJob, 'spec', 'suspend') === true;
    this.#noteSuspended(batchJob, isSuspended);
    const completions = asNumber(dig(batchJob, 'spec', 'completions')) ?? 1;
    // Before the suspension, as the Job controller does.
    if (this.#failing === undefined && parsedBatchJob(batchJob).endsWithLeader) {
      if (this.#noteCompleted(batchJob, own).has(0)) {
        for (const { uid } of living) this.#terminate(uid);
        if (living.length === 0) this.#complete();
        return this;
      }
    }
    if (this.#failing !== undefined || isSuspended) {
      for (const { uid } of living) this.#terminate(uid);
      if (living.length > 0) return this;
      // Kubernetes counts pods that end well once they are told to end, of a suspended one, too.
      if (this.#failing !== undefined) this.#end(this.#failing);
      else if (this.#noteCompleted(batchJob, own).size >= completions) this.#complete();
      return this;
    }
    const completed = this.#noteCompleted(batchJob, own);
    for (let rank = 0; rank < completions; rank += 1)
      if (!completed.has(rank) && !own.some((pod) => pod.rank === rank))
        this.#makePod(batchJob, rank);
    if (completed.size >= completions && living.length === 0) this.#complete();
    return this;
  }

  /** Rank 0 was counted, and the batch Job ends with it. */
  #hasLedWell(batchJob: KubeObject): boolean {
    const { endsWithLeader, completedIndexes } = parsedBatchJob(batchJob);
    return endsWithLeader && completedIndexes.split(',').includes('0');
  }

  #complete(): void {
    this.#end({ type: 'Complete', reason: 'CompletionsReached' });
    const isKept = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;
    this.pods = this.pods.filter(isKept);
  }

  /** Ranks that ended well stay so when their pods are deleted. */
  #noteCompleted(batchJob: KubeObject, own: readonly JobPod[]): ReadonlySet<number> {
    const present = this.batchJob ?? batchJob;
    const before = asString(dig(present, 'status', 'completedIndexes')) ?? '';
    const completed = new Set([
      ...before.split(',').filter(Boolean).map(Number),
      ...own.filter(({ hasSucceeded }) => hasSucceeded).map(({ rank }) => rank ?? 0),
    ]);
    const completedIndexes = [...completed].sort((a, b) => a - b).join();
    if (completedIndexes !== before)
      this.batchJob = this.stored({
        ...present,
        status: { ...asRecord(present['status']), completedIndexes },
      });
    return completed;
  }

  deletePodOf(rank: number): this {
    const isMeant = (pod: JobPod): boolean => pod.rank === rank;
    const uids = new Set(this.parsedPods.filter(isMeant).map(({ uid }) => uid));
    this.pods = this.pods.filter(({ metadata: { uid = '' } }) => !uids.has(uid));
    return this;
  }

  #noteSuspended(batchJob: KubeObject, isSuspended: boolean): void {
    const status = isSuspended ? 'True' : 'False';
    if (dig(conditionsOf(batchJob, 'Suspended')[0], 'status') === status) return;
    const condition = { type: 'Suspended', status, lastTransitionTime: timeText(this.now) };
    this.batchJob = this.stored({
      ...batchJob,
      status: { ...asRecord(batchJob['status']), conditions: [condition] },
    });
  }

  #makePod(batchJob: KubeObject, rank: number): void {
    const { name, uid = '' } = batchJob.metadata;
    const template = asRecord(dig(batchJob, 'spec', 'template', 'metadata'));
    const pod = this.stored({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: 'hpc',
        name: `${name}-${rank}-${suffixOf(this.#uids)}`,
        labels: (template?.['labels'] ?? {}) as Record<string, string>,
        annotations: {
          ...(template?.['annotations'] as Record<string, string> | undefined),
          'batch.kubernetes.io/job-completion-index': String(rank),
        },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
      },
      status: { phase: 'Pending' },
    });
    this.pods.push(pod);
  }

  /** Pods of a batch Job that is gone are deleted. */
  #collectGarbage(): void {
    const isKept = ({ metadata: { ownerReferences: [owner] = [] } }: KubeObject): boolean =>
      owner === undefined || owner.uid === this.batchJob?.metadata.uid;
    for (const pod of this.pods) if (!isKept(pod)) this.#terminate(pod.metadata.uid);
    this.pods = this.pods.filter((pod) => isKept(pod) || !this.#hasEnded(pod));
  }

  #hasEnded = (pod: KubeObject): boolean =>
    ['Succeeded', 'Failed'].includes(asString(dig(pod, 'status', 'phase')) ?? '');

  #terminate(uid: string | undefined): void {
    this.#updatePods(
      (pod) => pod.metadata.uid === uid,
      (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, deletionTimestamp: timeText(this.now) },
      }),
    );
  }

  #updatePods(
    isMeant: (pod: KubeObject) => boolean,
    change: (pod: KubeObject) => KubeObject,
  ): void {
    this.pods = this.pods.map((pod) => (isMeant(pod) ? this.stored(change(pod)) : pod));
  }

  #end({ type, reason }: End): void {
    if (this.batchJob === undefined) return;
    const condition = { type, status: 'True', reason, lastTransitionTime: timeText(this.now) };
    const suspended = conditionsOf(this.batchJob, 'Suspended');
    this.batchJob = this.stored({
      ...this.batchJob,
      status: { ...asRecord(this.batchJob['status']), conditions: [...suspended, condition] },
    });
  }

  /** Its controller notes how many of its pods are being deleted. */
  countTerminating(): this {
    const { batchJob } = this;
    const terminating = this.#own.filter((pod) => pod.isTerminating && !pod.hasEnded).length;
    if (batchJob !== undefined)
      this.batchJob = this.stored({
        ...batchJob,
        status: { ...asRecord(batchJob['status']), terminating },
      });
    return this;
  }

  /** As its own deadline does. */
  endBatchJob(type: End['type'], reason: string): this {
    this.#end({ type, reason });
    return this;
  }

  podsReady(...ranks: readonly number[]): this {
    this.#ofRanks(ranks, (pod) => ({
      ...pod,
      status: {
        phase: 'Running',
        podIP: `10.0.0.${Number(pod.metadata.annotations?.[ANNOTATION_RANK]) + 1}`,
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    }));
    return this;
  }

  protected annotatePod(uid: string, annotations: Readonly<Record<string, string | null>>): void {
    this.#updatePods(
      (pod) => pod.metadata.uid === uid,
      (pod) => {
        const all = { ...pod.metadata.annotations, ...annotations } as Record<string, string>;
        return { ...pod, metadata: { ...pod.metadata, annotations: all } };
      },
    );
  }

  podsInTrouble(reason: string, ...ranks: readonly number[]): this {
    const containerStatuses = [{ state: { waiting: { reason } } }];
    this.#ofRanks(ranks, (pod) => ({ ...pod, status: { phase: 'Pending', containerStatuses } }));
    return this;
  }

  podsEnd(end: PodEnd, ...ranks: readonly number[]): this {
    const isWell = end !== 'Disrupted' && end.exitCode === 0;
    this.#ofRanks(ranks, (pod) => ({
      ...pod,
      status: {
        phase: isWell ? 'Succeeded' : 'Failed',
        ...(end === 'Disrupted'
          ? { conditions: [EVICTED] }
          : { containerStatuses: [{ state: { terminated: end } }] }),
      },
    }));
    return this;
  }

  /** As a user does. */
  deletePods(...ranks: readonly number[]): this {
    for (const { uid, rank } of this.living)
      if (rank !== undefined && ranks.includes(rank)) this.#terminate(uid);
    return this;
  }

  /** As a drain does: they are marked, and deleted. */
  evictPods(...ranks: readonly number[]): this {
    this.#ofRanks(ranks, ({ status, ...pod }) => ({
      ...pod,
      status: { ...asRecord(status), conditions: [EVICTED] },
    }));
    return this.deletePods(...ranks);
  }

  /** Nothing holds the pods that have ended any more: users and Kubernetes may delete them. */
  podsGone(): this {
    this.pods = this.pods.filter((pod) => !this.#hasEnded(pod));
    return this;
  }

  /** Those that are being deleted end, as their command takes a signal. */
  terminatingEnd(exitCode = 143): this {
    const containerStatuses = [{ state: { terminated: { exitCode } } }];
    this.#updatePods(
      (pod) => pod.metadata.deletionTimestamp !== undefined && !this.#hasEnded(pod),
      (pod) => ({
        ...pod,
        status: { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses },
      }),
    );
    this.#collectGarbage();
    // Suspension is no failure; what had failed before stays one. Ends well are counted.
    if (dig(this.batchJob, 'spec', 'suspend') === true && this.#failing === undefined) {
      if (this.batchJob !== undefined) this.#noteCompleted(this.batchJob, this.#own);
      this.pods = this.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    }
    return this;
  }

  #ofRanks(ranks: readonly number[], change: (pod: KubeObject) => KubeObject): void {
    const isMeant = (pod: KubeObject): boolean => {
      const rank = Number(pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index']);
      return (ranks.length === 0 || ranks.includes(rank)) && !this.#hasEnded(pod);
    };
    this.#updatePods(isMeant, change);
  }

  /** With its pods, some time later. */
  deleteBatchJob(): this {
    this.batchJob = undefined;
    this.#collectGarbage();
    return this;
  }

  /** Its pods stay, and nothing controls them. */
  orphanPods(): this {
    const { batchJob } = this;
    this.batchJob = undefined;
    const uid = batchJob?.metadata.uid ?? '';
    const isOwn = ({ metadata: { ownerReferences: [owner] = [] } }: KubeObject): boolean =>
      owner?.uid === uid;
    this.#updatePods(isOwn, ({ metadata: { ownerReferences: _, ...metadata }, ...pod }) => ({
      ...pod,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, 'batch.kubernetes.io/controller-uid': uid },
      },
    }));
    return this;
  }

  suspendByHand = (suspend: boolean): this => this.#editBatchJob({ suspend });

  scaleByHand = (size: number): this =>
    this.#editBatchJob({ parallelism: size, completions: size });

  #editBatchJob(spec: Spec): this {
    const { batchJob } = this;
    if (batchJob !== undefined)
      this.batchJob = this.stored({
        ...batchJob,
        spec: { ...asRecord(batchJob['spec']), ...spec },
      });
    return this;
  }

  annotateByHand(grant: string | undefined): this {
    const { batchJob } = this;
    if (batchJob === undefined) return this;
    const { 'k8slab.info/grant': _, ...others } = batchJob.metadata.annotations ?? {};
    const annotations = { ...others, ...(grant !== undefined && { 'k8slab.info/grant': grant }) };
    this.batchJob = this.stored({ ...batchJob, metadata: { ...batchJob.metadata, annotations } });
    return this;
  }
}
