// What has the witness seen so far? The newest state of each object, by UID.
import type { KubeObject } from '../../../src/api/objects.ts';
import { type BatchFacts, newBatch, updateBatch } from './batch-jobs.ts';
import { batchUidOf, newPod, type PodFacts, updatePod } from './pods.ts';
import { QueueHistory } from './queues.ts';
import type { Seen } from './seen.ts';
import { newSwarmJob, type SwarmJobFacts, updateSwarmJob } from './swarm-jobs.ts';

/** Does it begin to live, or end? */
type PodChange = {
  readonly pod: PodFacts;
  readonly isNew: boolean;
  readonly hasEnded: boolean;
  /** Its rank has waited for the others. */
  readonly begins: boolean;
};

export class Known {
  readonly pods = new Map<string, PodFacts>();
  readonly batches = new Map<string, BatchFacts>();
  readonly swarmJobs = new Map<string, SwarmJobFacts>();
  readonly #queues = new Map<string, QueueHistory>();
  /** When something beside the queues held up jobs last, by namespace. */
  readonly #disturbed = new Map<string, number>();
  readonly #resourceQuotas = new Map<string, string>();

  queueOf(namespace: string, name: string): QueueHistory {
    const key = `${namespace}/${name}`;
    const found = this.#queues.get(key) ?? new QueueHistory();
    this.#queues.set(key, found);
    return found;
  }

  /** Undefined: the job does not say. */
  userOf({ swarmJobUid, user }: BatchFacts): string | undefined {
    return swarmJobUid === undefined ? user : this.swarmJobs.get(swarmJobUid)?.user;
  }

  swarmJobsOf(namespace: string, name: string): readonly SwarmJobFacts[] {
    const all = [...this.swarmJobs.values()];
    return all.filter((it) => it.namespace === namespace && it.name === name);
  }

  disturb(namespace: string, atMs: number): void {
    this.#disturbed.set(namespace, atMs);
  }

  isDisturbed(namespace: string, sinceMs: number): boolean {
    const has = [...this.#resourceQuotas.values()].includes(namespace);
    return has || (this.#disturbed.get(namespace) ?? 0) >= sinceMs;
  }

  resourceQuota({ object, atMs, isDeleted }: Seen): void {
    const { namespace = '', uid = '' } = object.metadata;
    if (isDeleted) this.#resourceQuotas.delete(uid);
    else this.#resourceQuotas.set(uid, namespace);
    this.disturb(namespace, atMs);
  }

  living(): readonly PodFacts[] {
    return [...this.pods.values()].filter(({ isAlive }) => isAlive);
  }

  queue({ object, atMs, isDeleted }: Seen): void {
    const { namespace = '', name } = object.metadata;
    this.queueOf(namespace, name).note(isDeleted ? undefined : object, atMs);
  }

  swarmJob({ object, atMs, isDeleted }: Seen): SwarmJobFacts {
    const { uid = '' } = object.metadata;
    const facts = this.swarmJobs.get(uid) ?? newSwarmJob(object);
    updateSwarmJob(facts, object, atMs, isDeleted);
    this.swarmJobs.set(uid, facts);
    return facts;
  }

  batch({ object, atMs, isDeleted }: Seen): BatchFacts {
    const { uid = '' } = object.metadata;
    const facts = this.batches.get(uid) ?? newBatch(object, atMs);
    this.batches.set(uid, facts);
    // An orphan waits by its own label.
    const job = this.swarmJobs.get(facts.swarmJobUid ?? '');
    updateBatch(facts, object, atMs, job?.isDeleted === true ? undefined : job?.queue);
    if (isDeleted) facts.isDeleting = true;
    return facts;
  }

  /** Undefined: no batch Job made it. */
  pod(seen: Seen): PodChange | undefined {
    const { object, atMs, isDeleted } = seen;
    const { uid = '' } = object.metadata;
    const before = this.pods.get(uid);
    const pod = before ?? this.#newPod(object, atMs);
    if (pod === undefined) return undefined;
    this.pods.set(uid, pod);
    const wasAlive = before !== undefined && pod.isAlive;
    const couldBegin = pod.mayBegin;
    updatePod(pod, object, isDeleted);
    return {
      ...{ pod, isNew: before === undefined && pod.isAlive },
      hasEnded: wasAlive && !pod.isAlive,
      begins: !couldBegin && pod.mayBegin,
    };
  }

  #newPod(object: KubeObject, atMs: number): PodFacts | undefined {
    const batch = this.batches.get(batchUidOf(object));
    return batch?.run && newPod(object, batch, batch.run, atMs);
  }
}
