// What becomes of one SwarmJob? An API server, a Job controller and a kubelet in a few lines, and
// the decisions about it carried out one step at a time.
import { ANNOTATION_ATTEMPT } from '../../src/api/batch-job.ts';
import type { JobPod } from '../../src/api/job-pod.ts';
import type { LedgerEntry } from '../../src/api/ledger.ts';
import { asRecord, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { podSpecOf } from '../../src/api/swarm-job.ts';
import { parseSwarmJob, type SwarmJob, type SwarmJobStatus } from '../../src/api/validate.ts';
import { times } from '../../src/core/amounts.ts';
import type { Condition } from '../../src/core/conditions.ts';
import type { Refusal, Step } from '../../src/core/decision.ts';
import { memoize } from '../../src/core/memoize.ts';
import { requestsOf } from '../../src/core/pod-requests.ts';
import { quantityText } from '../../src/core/quantity.ts';
import type { Verdict } from '../../src/core/queued-jobs.ts';
import { measureAges } from '../../src/core/state-ages.ts';
import { timeText } from '../../src/core/text.ts';
import { mustKnowPods } from '../../src/job/attempt/certainty.ts';
import { withOwnEnd } from '../../src/job/attempt/rank-ends.ts';
import { decideJob, type JobDecision } from '../../src/job/decide.ts';
import { ANNOTATION_CONTENTS } from '../../src/job/make/objects.ts';
import { agesOf } from '../../src/job/observe.ts';
import {
  type Child,
  type JobWorld,
  nothingRemembered,
  type QueueSays,
  type RememberedJob,
} from '../../src/job/world.ts';
import { NOW, SimulatedBatchJob } from './simulated-batch-job.ts';

type Spec = Readonly<Record<string, unknown>>;

const parsed = memoize(parseSwarmJob);

const contentsIn = (object: unknown): string | undefined =>
  asString(dig(object, 'metadata', 'annotations', ANNOTATION_CONTENTS));

export class JobCluster extends SimulatedBatchJob {
  job: KubeObject | undefined;
  entry: LedgerEntry | undefined;
  isLedgerKnown = true;
  isOfThisTerm = true;
  isOutdated = false;
  /** The watch has not reported the batch Job yet. */
  isUnreported = false;
  #clockOffMs = 0;
  waits: Verdict | undefined;
  service: Child | undefined;
  hosts: Child | undefined;
  taken: readonly string[] = [];
  podRefusal: string | undefined;
  queue: QueueSays = {};
  refused: Refusal | undefined;
  remembered: RememberedJob = nothingRemembered;
  /** What the watch of pods has reported while it is broken. */
  #seenPods: readonly JobPod[] | undefined;
  /** All that was carried out. */
  readonly done: Step[] = [];
  #nextGrant = 2;

  constructor(spec: Spec = {}) {
    super();
    this.job = this.stored({
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

  get swarmJob(): SwarmJob {
    if (this.job === undefined) throw new Error('the SwarmJob is gone');
    return parsed(this.job);
  }

  get status(): SwarmJobStatus {
    return this.swarmJob.status ?? {};
  }

  get state(): string | undefined {
    return this.status.state;
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
    const monotonicMs = this.now - NOW - this.#clockOffMs;
    const { ages, states } = measureAges(this.remembered.ages, monotonicMs, (age) =>
      agesOf(job, age),
    );
    const { isLedgerKnown, entry, waits, service, hosts, taken, queue, refused } = this;
    const { podRefusal, isOfThisTerm, isOutdated, isUnreported } = this;
    return {
      kind: 'SwarmJob',
      isGone: false,
      isOutdated,
      isUnreported,
      ...{ job, isLedgerKnown, isOfThisTerm, entry, waits, service, hosts, taken, queue, refused },
      batchJob: isUnreported ? undefined : this.parsedBatchJob,
      pods: this.#observedPods(),
      podRefusal,
      ...ages,
      remembered: { ...this.remembered, ages: states },
      monotonicMs,
    };
  }

  #observedPods(): readonly JobPod[] {
    const { swarmJob: job, isLedgerKnown, remembered } = this;
    const entry = isLedgerKnown ? this.entry : undefined;
    const seen = this.#seenPods ?? this.parsedPods;
    const batchJob = withOwnEnd({ job, batchJob: this.parsedBatchJob, pods: seen, remembered });
    const isRead = mustKnowPods({ job, batchJob, entry, remembered });
    return isRead ? this.parsedPods : seen;
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
        this.hosts = { ...this.#child(step.ref.name), contents: contentsIn(step.body) };
        break;
      case 'createKeys':
        break;
      case 'annotate':
        this.annotatePod(step.pod.uid, step.annotations);
        break;
      case 'operate':
        this.#operate(step);
        break;
      case 'delete':
        this.#delete(step);
        break;
      default:
        throw new Error(`a decision about a job has no such step: ${step.do}`);
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
    if (this.job !== undefined) this.job = this.stored(change(this.job));
  }

  #create(object: KubeObject): void {
    const { kind } = object;
    if (kind === 'Service') this.service = this.#child(object.metadata.name, this.service);
    else if (kind === 'ConfigMap') {
      const child = this.#child(object.metadata.name, this.hosts);
      this.hosts = { ...child, contents: contentsIn(object) };
    } else this.createBatchJob(object);
  }

  #child(name: string, present?: Child): Child {
    if (present !== undefined) throw new Error('AlreadyExists');
    const { metadata } = this.stored({ apiVersion: 'v1', kind: 'Child', metadata: { name } });
    const { uid = '', resourceVersion = '' } = metadata;
    return { name, namespace: 'hpc', uid, resourceVersion, contents: undefined };
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
    this.batchJob = this.stored({ ...this.batchJob, metadata, spec });
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

  // --- Users, and everything else ---

  /** The clock of the machine is corrected, by less than 0 if it was ahead. */
  correctClock(byMs: number): this {
    this.#clockOffMs += byMs;
    this.now += byMs;
    return this;
  }

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

  /** Deleted, and created again under its name. */
  createAgain(): this {
    const { job } = this;
    if (job === undefined) return this;
    this.job = this.stored({ ...job, status: undefined }, 'another-job-uid');
    this.entry = undefined;
    return this.deleteBatchJob();
  }

  /** The annotation of its batch Job is removed. */
  forgetAttempt(): this {
    if (this.batchJob === undefined) throw new Error('no batch Job');
    const { metadata } = this.batchJob;
    const { [ANNOTATION_ATTEMPT]: _, ...annotations } = metadata.annotations ?? {};
    this.batchJob = this.stored({ ...this.batchJob, metadata: { ...metadata, annotations } });
    return this;
  }

  /** Undefined: it is wiped. */
  makeUpStatus(status: object | undefined): this {
    this.#update((job) => ({ ...job, status }));
    return this;
  }

  // --- Whole stretches ---

  /** Admitted, started, and all of its ranks run. */
  running(): this {
    this.admit().rest();
    this.controllerSyncs().podsReady().rest();
    return this.told();
  }

  /** Status has said that all ranks run: it says so a second late. */
  told(): this {
    this.later(1_000).rest();
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
