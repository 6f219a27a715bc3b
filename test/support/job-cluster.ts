// What becomes of one SwarmJob? An API server, a Job controller and a kubelet in a few lines, and
// the decisions about it carried out one step at a time.
import {
  type BatchJob,
  type JobPod,
  parseBatchJob,
  parseJobPod,
  slimBatchJob,
  slimJobPod,
} from '../../src/api/batch-job.ts';
import type { LedgerEntry } from '../../src/api/ledger.ts';
import {
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
} from '../../src/api/objects.ts';
import { podSpecOf } from '../../src/api/swarm-job.ts';
import { parseSwarmJob, type SwarmJob, type SwarmJobStatus } from '../../src/api/validate.ts';
import { times } from '../../src/core/amounts.ts';
import type { Condition } from '../../src/core/conditions.ts';
import type { Refusal, Step } from '../../src/core/decision.ts';
import { requestsOf } from '../../src/core/pod-requests.ts';
import { quantityText } from '../../src/core/quantity.ts';
import { measureAges } from '../../src/core/state-ages.ts';
import { timeText } from '../../src/core/text.ts';
import { mustKnowPods } from '../../src/job/attempt/certainty.ts';
import { decideJob, type JobDecision } from '../../src/job/decide.ts';
import { statusAge } from '../../src/job/observe.ts';
import {
  type Child,
  type JobWorld,
  nothingRemembered,
  type QueueSays,
  type RememberedJob,
  type Verdict,
} from '../../src/job/world.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');

type Spec = Readonly<Record<string, unknown>>;
type End = { readonly type: 'Complete' | 'Failed'; readonly reason: string };

/** How a pod ends. */
export type PodEnd = { readonly exitCode: number } | 'Disrupted';

export class JobCluster {
  now = NOW;
  job: KubeObject | undefined;
  batchJob: KubeObject | undefined;
  pods: KubeObject[] = [];
  entry: LedgerEntry | undefined;
  isLedgerKnown = true;
  waits: Verdict | undefined;
  service: Child | undefined;
  hosts: Child | undefined;
  taken: readonly string[] = [];
  queue: QueueSays = {};
  refused: Refusal | undefined;
  remembered: RememberedJob = nothingRemembered;
  /** What the watch of pods has reported while it is broken. */
  #seenPods: readonly JobPod[] | undefined;
  /** All that was carried out. */
  readonly done: Step[] = [];
  #version = 1;
  #uids = 0;
  #nextGrant = 2;
  /** The batch Job fails as soon as its pods have ended. */
  #failing: End | undefined;

  constructor(spec: Spec = {}) {
    this.job = this.#stored({
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmJob',
      metadata: {
        name: 'sim',
        namespace: 'hpc',
        uid: 'job-uid',
        generation: 1,
        creationTimestamp: timeText(NOW),
      },
      spec: { queueName: 'batch', image: 'example.org/sim', command: ['run'], ...spec },
    });
  }

  #stored(object: KubeObject, uid = object.metadata.uid): KubeObject {
    this.#version += 1;
    this.#uids += 1;
    const identity = { uid: uid ?? `uid-${this.#uids}`, resourceVersion: String(this.#version) };
    return { ...object, metadata: { ...object.metadata, ...identity } };
  }

  get swarmJob(): SwarmJob {
    if (this.job === undefined) throw new Error('the SwarmJob is gone');
    return parseSwarmJob(this.job);
  }

  get status(): SwarmJobStatus {
    return this.swarmJob.status ?? {};
  }

  get state(): string | undefined {
    return this.status.state;
  }

  get parsedBatchJob(): BatchJob | undefined {
    return this.batchJob && parseBatchJob(slimBatchJob(this.batchJob));
  }

  get parsedPods(): readonly JobPod[] {
    return this.pods.map((pod) => parseJobPod(slimJobPod(pod)));
  }

  get living(): readonly JobPod[] {
    return this.parsedPods.filter(({ hasEnded }) => !hasEnded);
  }

  get size(): number {
    const { spec } = this.swarmJob;
    return spec.ok ? spec.value.size : 0;
  }

  condition(type: string): Condition | undefined {
    return this.status.conditions?.find((it) => it.type === type);
  }

  world(): JobWorld {
    const job = this.swarmJob;
    const monotonicMs = this.now - NOW;
    const { ages: statusMs, states } = measureAges(this.remembered.ages, monotonicMs, (age) =>
      statusAge(job, age),
    );
    const { isLedgerKnown, entry, waits, service, hosts, taken, queue, refused } = this;
    return {
      kind: 'SwarmJob',
      ...{ job, isLedgerKnown, entry, waits, service, hosts, taken, queue, refused },
      batchJob: this.parsedBatchJob,
      pods: this.#observedPods(),
      statusMs,
      remembered: { ages: states },
      monotonicMs,
    };
  }

  #observedPods(): readonly JobPod[] {
    const { swarmJob: job, parsedBatchJob: batchJob, isLedgerKnown } = this;
    const entry = isLedgerKnown ? this.entry : undefined;
    const isRead = mustKnowPods({ job, batchJob, entry });
    return isRead ? this.parsedPods : (this.#seenPods ?? this.parsedPods);
  }

  get isPodWatchBroken(): boolean {
    return this.#seenPods !== undefined;
  }

  /** Until it recovers, pods are known as they are now. */
  breakPodWatch(isBroken: boolean): this {
    this.#seenPods = isBroken ? this.parsedPods : undefined;
    return this;
  }

  decide(): JobDecision {
    return decideJob(this.world(), this.now);
  }

  /** Decides once, and carries it out. */
  step(): readonly Step[] {
    const { steps, remembered } = this.decide();
    this.remembered = remembered;
    for (const step of steps) this.carryOut(step);
    return steps;
  }

  /** Until a decision has no steps. Returns all of them. */
  rest(): readonly Step[] {
    const all: Step[] = [];
    for (let round = 0; round < 20; round += 1) {
      const steps = this.job === undefined ? [] : this.step();
      all.push(...steps);
      if (steps.length === 0) return all;
    }
    throw new Error(`it does not come to rest: ${JSON.stringify(all.slice(-4))}`);
  }

  /** Throws as an API server refuses. */
  carryOut(step: Step): void {
    switch (step.do) {
      case 'event':
        break;
      case 'status':
        this.#expectVersion(this.job, step.ref);
        this.#update((job) => ({ ...job, status: JSON.parse(JSON.stringify(step.status)) }));
        break;
      case 'create':
        this.#create(step.object);
        break;
      case 'patch':
        this.hosts = { ...this.#child(step.ref.name), size: this.size };
        break;
      case 'operate':
        this.#operate(step);
        break;
      case 'delete':
        this.#delete(step);
        break;
      default:
        throw new Error(`nobody does this to a job: ${step.do}`);
    }
    this.done.push(step);
  }

  #expectVersion(
    object: KubeObject | undefined,
    { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
  ): void {
    const { metadata } = object ?? {};
    if (metadata?.uid !== uid || metadata.resourceVersion !== resourceVersion)
      throw new Error('Conflict');
  }

  #update(change: (job: KubeObject) => KubeObject): void {
    if (this.job !== undefined) this.job = this.#stored(change(this.job));
  }

  #create(object: KubeObject): void {
    const { kind } = object;
    if (kind === 'Service') this.service = this.#child(object.metadata.name, this.service);
    else if (kind === 'ConfigMap') this.hosts = this.#child(object.metadata.name, this.hosts);
    else if (this.batchJob === undefined) {
      this.batchJob = this.#stored(object);
      this.#failing = undefined;
    } else throw new Error('AlreadyExists');
  }

  #child(name: string, present?: Child): Child {
    if (present !== undefined) throw new Error('AlreadyExists');
    const { metadata } = this.#stored({ apiVersion: 'v1', kind: 'Child', metadata: { name } });
    const { uid = '', resourceVersion = '' } = metadata;
    return { name, namespace: 'hpc', uid, resourceVersion, size: this.size };
  }

  #operate({ ref, operations }: Extract<Step, { do: 'operate' }>): void {
    if (this.batchJob === undefined) throw new Error('NotFound');
    if (this.batchJob.metadata.uid !== ref.uid) throw new Error('Stale');
    let { metadata } = this.batchJob;
    let spec = asRecord(this.batchJob['spec']);
    for (const { op, path, value } of operations) {
      const at = path
        .split('/')
        .slice(1)
        .map((part) => part.replaceAll('~1', '/'));
      const [, , annotation = ''] = at;
      if (op === 'test' && metadata.annotations?.[annotation] !== value) throw new Error('Stale');
      if (op === 'test') continue;
      if (at[0] === 'metadata') {
        const annotations = { ...metadata.annotations, [annotation]: asString(value) ?? '' };
        metadata = { ...metadata, annotations };
      } else spec = { ...spec, [at[1] ?? '']: op === 'remove' ? undefined : value };
    }
    this.batchJob = this.#stored({ ...this.batchJob, metadata, spec });
  }

  #delete({ kind, ref }: Extract<Step, { do: 'delete' }>): void {
    if (kind.kind === 'SwarmJob') {
      this.#expectVersion(this.job, ref);
      this.job = undefined;
      this.service = undefined;
      this.hosts = undefined;
      this.deleteBatchJob();
      return;
    }
    this.#expectVersion(this.batchJob, ref);
    this.deleteBatchJob();
  }

  // --- The queue ---

  admit(): this {
    const { name, uid } = this.swarmJob.meta;
    const grant = this.#nextGrant;
    this.#nextGrant += 2;
    this.waits = undefined;
    const requests = { pods: String(this.size), ...this.#requests() };
    const time = timeText(this.now);
    this.entry = { uid, name, queue: 'batch', size: this.size, requests, grant, time };
    return this;
  }

  #requests(): Readonly<Record<string, string>> {
    const { spec } = this.swarmJob;
    const perPod = spec.ok ? requestsOf(podSpecOf(spec.value)) : new Map();
    const all = [...times(perPod, this.size)];
    return Object.fromEntries(all.map(([name, amount]) => [name, quantityText(amount)]));
  }

  // --- The Job controller and the kubelet ---

  /** Pods are made where they are due, deleted where they are not; ends are noted. */
  controllerSyncs(): this {
    const { batchJob } = this;
    this.#collectGarbage();
    if (batchJob === undefined || this.parsedBatchJob?.end !== undefined) return this;
    const own = this.parsedPods.filter(({ jobUid }) => jobUid === batchJob.metadata.uid);
    const living = own.filter(({ hasEnded }) => !hasEnded);
    const failed = own.filter(({ hasEnded, hasSucceeded }) => hasEnded && !hasSucceeded);
    const [first] = failed;
    if (first !== undefined && this.#failing === undefined)
      this.#failing = {
        type: 'Failed',
        reason: first.isDisrupted ? 'PodFailurePolicy' : 'BackoffLimitExceeded',
      };
    const isSuspended = dig(batchJob, 'spec', 'suspend') === true;
    this.#noteSuspended(batchJob, isSuspended);
    if (this.#failing !== undefined || isSuspended) {
      for (const { uid } of living) this.#terminate(uid);
      if (this.#failing !== undefined && living.length === 0) this.#end(this.#failing);
      return this;
    }
    const completions = asNumber(dig(batchJob, 'spec', 'completions')) ?? 1;
    for (let rank = 0; rank < completions; rank += 1)
      if (!own.some((pod) => pod.rank === rank)) this.#makePod(batchJob, rank);
    if (own.length >= completions && own.every(({ hasSucceeded }) => hasSucceeded))
      this.#end({ type: 'Complete', reason: 'CompletionsReached' });
    return this;
  }

  #noteSuspended(batchJob: KubeObject, isSuspended: boolean): void {
    const status = isSuspended ? 'True' : 'False';
    if (dig(conditionsOf(batchJob, 'Suspended')[0], 'status') === status) return;
    this.batchJob = this.#stored({
      ...batchJob,
      status: { conditions: [{ type: 'Suspended', status }] },
    });
  }

  #makePod(batchJob: KubeObject, rank: number): void {
    const { name, uid = '' } = batchJob.metadata;
    const template = asRecord(dig(batchJob, 'spec', 'template', 'metadata'));
    const pod = this.#stored({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: 'hpc',
        name: `${name}-${rank}-${this.#uids}`,
        labels: (template?.['labels'] ?? {}) as Record<string, string>,
        annotations: { 'batch.kubernetes.io/job-completion-index': String(rank) },
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
      },
      status: { phase: 'Pending' },
    });
    this.pods.push(pod);
  }

  /** Pods of a batch Job that is gone are deleted. */
  #collectGarbage(): void {
    const isKept = ({ metadata: { ownerReferences: [owner] = [] } }: KubeObject): boolean =>
      owner?.uid === this.batchJob?.metadata.uid;
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
    this.pods = this.pods.map((pod) => (isMeant(pod) ? this.#stored(change(pod)) : pod));
  }

  #end({ type, reason }: End): void {
    if (this.batchJob === undefined) return;
    const condition = { type, status: 'True', reason, lastTransitionTime: timeText(this.now) };
    this.batchJob = this.#stored({ ...this.batchJob, status: { conditions: [condition] } });
  }

  /** As its own deadline does. */
  endBatchJob(type: End['type'], reason: string): this {
    this.#end({ type, reason });
    return this;
  }

  podsReady(...ranks: readonly number[]): this {
    this.#ofRanks(ranks, (pod) => ({
      ...pod,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    }));
    return this;
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
          ? { conditions: [{ type: 'DisruptionTarget', status: 'True' }] }
          : { containerStatuses: [{ state: { terminated: { exitCode: end.exitCode } } }] }),
      },
    }));
    return this;
  }

  /** Those that are being deleted end, as their command takes a signal. */
  terminatingEnd(exitCode = 143): this {
    const containerStatuses = [{ state: { terminated: { exitCode } } }];
    this.#updatePods(
      (pod) => pod.metadata.deletionTimestamp !== undefined && !this.#hasEnded(pod),
      (pod) => ({ ...pod, status: { phase: 'Failed', containerStatuses } }),
    );
    this.#collectGarbage();
    // Suspension is no failure; what had failed before stays one.
    if (dig(this.batchJob, 'spec', 'suspend') === true && this.#failing === undefined)
      this.pods = this.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return this;
  }

  #ofRanks(ranks: readonly number[], change: (pod: KubeObject) => KubeObject): void {
    const isMeant = (pod: KubeObject): boolean => {
      const rank = Number(pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index']);
      return (ranks.length === 0 || ranks.includes(rank)) && !this.#hasEnded(pod);
    };
    this.#updatePods(isMeant, change);
  }

  // --- Users, and everything else ---

  later(ms: number): this {
    this.now += ms;
    return this;
  }

  edit(spec: Spec): this {
    this.#update((job) => ({
      ...job,
      metadata: { ...job.metadata, generation: (job.metadata.generation ?? 0) + 1 },
      spec: { ...asRecord(job['spec']), ...spec },
    }));
    return this;
  }

  /** Undefined: it is wiped. */
  makeUpStatus(status: object | undefined): this {
    this.#update((job) => ({ ...job, status }));
    return this;
  }

  /** With its pods, some time later. */
  deleteBatchJob(): this {
    this.batchJob = undefined;
    this.#collectGarbage();
    return this;
  }

  suspendByHand = (suspend: boolean): this => this.#editBatchJob({ suspend });

  scaleByHand = (parallelism: number): this => this.#editBatchJob({ parallelism });

  #editBatchJob(spec: Spec): this {
    const { batchJob } = this;
    if (batchJob !== undefined)
      this.batchJob = this.#stored({
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
    this.batchJob = this.#stored({ ...batchJob, metadata: { ...batchJob.metadata, annotations } });
    return this;
  }

  // --- Whole stretches ---

  /** Admitted, started, and all of its ranks run. */
  running(): this {
    this.admit().rest();
    this.controllerSyncs().podsReady().rest();
    return this;
  }

  /** What is being deleted ends, and the decisions about it come to rest. */
  settle(): this {
    for (let round = 0; round < 6; round += 1) {
      this.controllerSyncs().terminatingEnd().controllerSyncs();
      if (this.job !== undefined) this.rest();
    }
    return this;
  }
}

/** "create Job", "operate Job", "status Running", "event AllRanksRunning". */
export const stepText = (step: Step): string => {
  switch (step.do) {
    case 'create':
      return `create ${step.object.kind}`;
    case 'status':
      return `status ${asString(dig(step.status, 'state'))}`;
    case 'event':
      return `event ${step.event.reason}`;
    case 'operate':
      return `operate ${step.operations.map(({ op, path, value }) => `${op} ${path.split('/').at(-1)} ${value}`).join(', ')}`;
    case 'delete':
    case 'patch':
      return `${step.do} ${step.kind.kind}`;
    default:
      return step.do;
  }
};

export const textsOf = (steps: readonly Step[]): readonly string[] =>
  steps.filter((step) => step.do !== 'event').map(stepText);
