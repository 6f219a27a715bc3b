// The loop of one pod on this node, from its binding until its last process has ended.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { asString, dig, isNewer, type KubeObject } from '../../../api/objects.ts';
import { errorText } from '../../../api/text.ts';
import { Alarm } from '../alarm.ts';
import { ContainerRunner } from '../containers/container.ts';
import type { ContainerLog } from '../containers/logs.ts';
import { PodContainers } from '../containers/pod-containers.ts';
import type { NodeContext } from '../context.ts';
import type { EventRecorder } from '../events.ts';
import { References } from '../volumes/references.ts';
import { VolumeSync } from '../volumes/volume-sync.ts';
import { Volumes } from '../volumes/volumes.ts';
import { computePodActions } from './actions.ts';
import { type Admission, admit } from './admission.ts';
import {
  formerOutcome,
  formerRestarts,
  formerStart,
  removeObject,
  writeStatus,
} from './pod-object.ts';
import { everyContainer, isSyncedAnew, type NodePod, readPod } from './pod-spec.ts';
import { type PodOutcome, statusOf } from './status.ts';
import { combined, MIN_GRACE_SECONDS, type PodTermination } from './termination.ts';

const RETRY_MS = 1_000;

const pastDeadline: PodOutcome = {
  phase: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** Each round carries out the pod's actions, reports, and waits until something happens. */
export class PodRunner {
  readonly dir: string;
  readonly record: EventRecorder;
  readonly references: References;
  readonly volumes: Volumes;
  readonly #context: NodeContext;
  readonly #alarm: Alarm;
  readonly #volumeSync: VolumeSync;
  readonly #containers: PodContainers;
  readonly #ended = Promise.withResolvers<void>();
  readonly #startedAt: number;
  /** The pod had ended before this node saw it: its status stays as it is. */
  readonly #isHistory: boolean;
  #pod: NodePod;
  #admission: Admission | undefined;
  #isInitialized = false;
  #outcome: PodOutcome | undefined;
  #termination: PodTermination | undefined;
  #isOver = false;

  constructor(object: KubeObject, context: NodeContext) {
    const pod = readPod(object);
    this.#context = context;
    this.#pod = pod;
    this.dir = path.join(context.dir, 'pods', pod.ref.uid);
    this.record = context.events.for(pod.ref);
    this.#alarm = new Alarm(context.clock);
    this.#startedAt = formerStart(object) ?? context.clock.now();
    this.#outcome = formerOutcome(object);
    this.#isHistory = this.#outcome !== undefined;
    this.references = new References(context.shared, pod.ref.namespace);
    const folder = path.join(this.dir, 'volumes');
    this.volumes = new Volumes(folder, context.nodeApi, this.references);
    this.#volumeSync = new VolumeSync(this.volumes, context, this.record);
    this.#containers = new PodContainers(
      everyContainer(pod).map((each) => [
        each.name,
        new ContainerRunner(each, this, context, formerRestarts(object, each.name)),
      ]),
    );
  }

  get pod(): NodePod {
    return this.#pod;
  }

  get ip(): string | undefined {
    return this.#admission?.podIP;
  }

  get pids(): readonly number[] {
    return this.#containers.pids;
  }

  /** Resolves when no process is left and its object was deleted, if that was still there. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  log(container: string, isPrevious: boolean): ContainerLog | undefined {
    return this.#containers.get(container)?.log(isPrevious);
  }

  update(object: KubeObject): void {
    this.#accept(object);
    this.wake();
  }

  /** The object is gone; the processes get their grace period all the same. */
  removed(): void {
    this.#end({ graceSeconds: this.#pod.graceSeconds, isRemoved: true });
    this.wake();
  }

  /** The node stops: ends the pod and deletes its object. */
  shutDown(wishedSeconds = Number.POSITIVE_INFINITY): void {
    const graceSeconds = Math.min(wishedSeconds, this.#pod.graceSeconds);
    this.#end({ graceSeconds, isNodeStopping: true });
    this.wake();
  }

  /** Simulates a power failure: kills at once and reports nothing. */
  vanish(): void {
    this.#isOver = true;
    this.#containers.kill();
    this.wake();
  }

  wake(): void {
    this.#alarm.ring();
  }

  /** As in a kubelet, the end of a container or a probe's verdict syncs the volumes too. */
  containerChanged(): void {
    if (this.#volumeSync.areMounted) this.#volumeSync.refreshSoon();
    this.wake();
  }

  /** Never throws; resolves when the pod has ended. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#sync();
      } catch (error) {
        this.#trouble(errorText(error));
        this.#alarm.ringAfter(RETRY_MS);
      }
      if (!this.#isOver) await this.#alarm.wait();
    }
    await this.#containers.gone();
    this.#giveBackAddress();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) =>
      this.#trouble(`cannot remove ${this.dir}: ${errorText(error)}`),
    );
    this.#ended.resolve();
  }

  async #sync(): Promise<void> {
    const { deletionGraceSeconds } = this.#pod;
    if (deletionGraceSeconds !== undefined)
      this.#end({ graceSeconds: Math.max(deletionGraceSeconds, MIN_GRACE_SECONDS) });
    if (this.#termination !== undefined) return this.#syncTerminating(this.#termination);
    if (this.#outcome === undefined) await this.#syncRunning();
    await this.#report();
    if (this.#outcome !== undefined && !this.#isRunning) await this.#release();
  }

  get #isRunning(): boolean {
    return this.#containers.running.length > 0;
  }

  async #syncRunning(): Promise<void> {
    this.#admission ??= admit(this.#pod, this.#context, this.record);
    if (this.#admission.blocked !== undefined) return;
    if (this.#isPastDeadline()) {
      this.#outcome = pastDeadline;
      this.#containers.stop(this.#pod.graceSeconds);
      return;
    }
    this.#alarm.ringAfter(
      await this.#volumeSync.sync({ ...this.#context, pod: this.#pod, podIP: this.ip ?? '' }),
    );
    if (this.#volumeSync.areMounted) await this.#advance();
  }

  async #advance(): Promise<void> {
    const { clock, restartBackoffMs } = this.#context;
    const compute = () =>
      computePodActions(this.#pod, this.#containers.facts, clock.now(), restartBackoffMs);
    const { actions, isInitialized, outcome } = compute();
    this.#isInitialized = isInitialized;
    for (const { type, container } of actions) {
      const runner = this.#containers.get(container);
      if (type === 'stop') runner?.stop(this.#pod.graceSeconds * 1000);
      else if (this.#termination === undefined) await runner?.start();
    }
    if (outcome !== undefined && !this.#isRunning) this.#outcome = { phase: outcome };
    // A container may have ended already, or may wait for an image or a key.
    const next = compute();
    if (next.actions.some(({ type }) => type === 'start')) this.wake();
    else if (next.wakeAt !== undefined) this.#alarm.ringAfter(next.wakeAt - clock.now());
  }

  #end(ending: PodTermination): void {
    const isFirst = this.#termination === undefined;
    this.#termination = combined(this.#termination, ending);
    if (isFirst)
      for (const name of this.#containers.running)
        this.record('Normal', 'Killing', `Stopping container ${name}`);
  }

  async #syncTerminating({
    graceSeconds,
    isRemoved,
    isNodeStopping,
  }: PodTermination): Promise<void> {
    this.#containers.stopInOrder(this.#pod, graceSeconds);
    if (this.#isRunning) return isRemoved || isNodeStopping ? undefined : this.#report();
    const hasSucceeded = this.#containers.haveSucceeded(this.#pod.containers);
    this.#outcome ??= { phase: hasSucceeded ? 'Succeeded' : 'Failed' };
    try {
      if (!isRemoved) {
        await this.#report();
        await removeObject(this.#context.nodeApi, this.#pod);
      }
    } catch (error) {
      if (!isNodeStopping) throw error;
      this.#trouble(`ends unreported: ${errorText(error)}`);
    }
    this.#isOver = true;
  }

  async #report(): Promise<void> {
    if (this.#isHistory) return;
    const written = await writeStatus(this.#context.nodeApi, this.#pod, this.#status());
    if (written !== undefined) this.#accept(written);
  }

  #status(): Record<string, unknown> {
    const { clock, hostIP, restartBackoffMs } = this.#context;
    return statusOf({
      pod: this.#pod,
      facts: this.#containers.facts,
      now: clock.now(),
      restartBaseMs: restartBackoffMs,
      hostIP,
      podIP: this.ip ?? asString(dig(this.#pod.object, 'status', 'podIP')),
      startedAt: this.#startedAt,
      hasSandbox: this.#volumeSync.areMounted,
      isInitialized: this.#isInitialized,
      isTerminating: this.#termination !== undefined,
      outcome: this.#isRunning ? undefined : this.#outcome,
      blocked: this.#admission?.blocked,
    });
  }

  /** The watch may bring an older object than the response to our own write. */
  #accept(object: KubeObject): void {
    const before = this.#pod;
    const [known = '', next = ''] = [before.object, object].map(
      ({ metadata }) => metadata.resourceVersion,
    );
    if (!isNewer(next, known)) return;
    this.#pod = readPod(object);
    if (!isSyncedAnew(before, this.#pod)) return;
    this.#volumeSync.refreshSoon();
    this.wake();
  }

  #isPastDeadline(): boolean {
    const { activeDeadlineSeconds } = this.#pod.spec;
    if (activeDeadlineSeconds === undefined) return false;
    const left = this.#startedAt + activeDeadlineSeconds * 1000 - this.#context.clock.now();
    if (left > 0) this.#alarm.ringAfter(left);
    return left <= 0;
  }

  #trouble(message: string): void {
    this.#context.onTrouble(`pod ${this.#pod.ref.namespace}/${this.#pod.ref.name}: ${message}`);
  }

  /** A pod that has ended keeps its status and its logs until its object is deleted. */
  async #release(): Promise<void> {
    if (!this.#giveBackAddress()) return;
    await rm(path.join(this.dir, 'volumes'), { recursive: true, force: true, maxRetries: 3 });
  }

  #giveBackAddress(): boolean {
    const { ip } = this;
    if (ip === undefined) return false;
    this.#context.addresses.giveBack(ip);
    this.#admission = { blocked: this.#admission?.blocked, podIP: undefined };
    return true;
  }
}
