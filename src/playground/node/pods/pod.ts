// What happens to one pod on this node, from its binding to the end of its last process?
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { asString, dig, isNewer, type KubeObject } from '../../../api/objects.ts';
import { messageOf } from '../../failure.ts';
import { Alarm } from '../alarm.ts';
import { ContainerRunner, type Surroundings } from '../containers/container.ts';
import type { ContainerLog } from '../containers/logs.ts';
import { closedTo } from '../containers/reachable.ts';
import type { NodeContext } from '../context.ts';
import type { Tell } from '../events.ts';
import { References } from '../volumes/references.ts';
import { VolumeSync } from '../volumes/volume-sync.ts';
import { Volumes } from '../volumes/volumes.ts';
import { both, type Ending, LEAST_GRACE_SECONDS } from './ending.ts';
import { formerOutcome, formerRestarts, formerStart, type Outcome } from './history.ts';
import { type Facts, planOf } from './plan.ts';
import { removeObject, writeStatus } from './pod-object.ts';
import { everyContainer, isSyncedAnew, type Pod, readPod } from './pod-spec.ts';
import { type StatusInputs, statusOf } from './status.ts';
import { unsupportedIn } from './support.ts';

const TROUBLE_RETRY_MS = 1_000;

const pastDeadline: Outcome = {
  phase: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

/** One loop for each pod: it looks, starts and stops what the plan says, reports, and waits until something happens. */
export class PodRunner {
  readonly #context: NodeContext;
  readonly #dir: string;
  readonly #tell: Tell;
  readonly #alarm: Alarm;
  readonly #volumes: VolumeSync;
  readonly #containers: ReadonlyMap<string, ContainerRunner>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #startedAt: number;
  /** It had ended before this node looked at it: what its status says is all that is known. */
  readonly #isHistory: boolean;
  #pod: Pod;
  #podIP: string | undefined;
  #isAdmitted = false;
  #blocked: StatusInputs['blocked'];
  #isInitialized = false;
  #outcome: Outcome | undefined;
  #ending: Ending | undefined;
  #isOver = false;

  constructor(object: KubeObject, context: NodeContext) {
    const pod = readPod(object);
    this.#context = context;
    this.#pod = pod;
    this.#dir = path.join(context.dir, 'pods', pod.ref.uid);
    this.#tell = context.events.for(pod.ref);
    this.#alarm = new Alarm(context.clock);
    this.#startedAt = formerStart(object) ?? context.clock.now();
    this.#outcome = formerOutcome(object);
    this.#isHistory = this.#outcome !== undefined;
    const references = new References(context.shared, pod.ref.namespace);
    const volumes = new Volumes(path.join(this.#dir, 'volumes'), context.nodeApi, references);
    this.#volumes = new VolumeSync(volumes, context, this.#tell);
    const around = this.#surroundings(volumes, references);
    this.#containers = new Map(
      everyContainer(pod).map((each) => [each.name, new ContainerRunner(each, around, context, formerRestarts(object, each.name))]),
    );
  }

  get pod(): Pod {
    return this.#pod;
  }

  get ip(): string | undefined {
    return this.#podIP;
  }

  get pids(): readonly number[] {
    return [...this.#containers.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  /** Resolves when no process is left and, unless it was forgotten, its object was deleted. */
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

  /** The object is gone: by force, or because we have deleted it. Its processes get their grace period all the same. */
  removed(): void {
    this.#end({ graceSeconds: this.#pod.graceSeconds, isForgotten: true, isLastWord: false });
    this.wake();
  }

  /** The node goes down in order: the pod ends by its grace period and its object is deleted. */
  shutDown(graceSeconds = this.#pod.graceSeconds): void {
    this.#end({ graceSeconds: Math.min(graceSeconds, this.#pod.graceSeconds), isForgotten: false, isLastWord: true });
    this.wake();
  }

  /** The power goes: no signal that could be handled, nothing reported. */
  vanish(): void {
    this.#isOver = true;
    for (const container of this.#containers.values()) container.kill();
    this.wake();
  }

  wake(): void {
    this.#alarm.ring();
  }

  /** Never throws; ends with the pod. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#sync();
      } catch (error) {
        this.#trouble(messageOf(error));
        this.#alarm.ringAfter(TROUBLE_RETRY_MS);
      }
      if (!this.#isOver) await this.#alarm.wait();
    }
    await Promise.all([...this.#containers.values()].map((container) => container.gone()));
    await this.#cleanUp();
    this.#ended.resolve();
  }

  async #sync(): Promise<void> {
    const { deletion } = this.#pod;
    if (deletion !== undefined) {
      const graceSeconds = Math.max(deletion.graceSeconds, LEAST_GRACE_SECONDS);
      this.#end({ graceSeconds, isForgotten: false, isLastWord: false });
    }
    if (this.#ending !== undefined) return this.#syncEnding(this.#ending);
    if (this.#outcome === undefined) await this.#syncLiving();
    await this.#report();
    if (this.#outcome !== undefined && !this.#isAnyRunning()) await this.#release();
  }

  async #syncLiving(): Promise<void> {
    if (!this.#isAdmitted) this.#admit();
    if (this.#blocked !== undefined) return;
    if (this.#isPastDeadline()) {
      this.#outcome = pastDeadline;
      for (const container of this.#containers.values()) container.stop(this.#pod.graceSeconds * 1000);
      return;
    }
    this.#alarm.ringAfter(await this.#volumes.sync({ ...this.#context, pod: this.#pod, podIP: this.#podIP ?? '' }));
    if (this.#volumes.areMade) await this.#advance();
  }

  async #advance(): Promise<void> {
    const { clock, restartBackoffMs } = this.#context;
    const plan = () => planOf(this.#pod, this.#facts(), clock.now(), restartBackoffMs);
    const { steps, isInitialized, outcome } = plan();
    this.#isInitialized = isInitialized;
    for (const { type, container } of steps) {
      const runner = this.#containers.get(container);
      if (type === 'stop') runner?.stop(this.#pod.graceSeconds * 1000);
      else if (this.#ending === undefined) await runner?.start();
    }
    if (outcome !== undefined && !this.#isAnyRunning()) this.#outcome = { phase: outcome };
    // What was started may have ended already, or wait for an image or a key.
    const next = plan();
    if (next.steps.some(({ type }) => type === 'start')) this.wake();
    else if (next.wakeAt !== undefined) this.#alarm.ringAfter(next.wakeAt - clock.now());
  }

  #admit(): void {
    const { addresses, mountMode, images } = this.#context;
    this.#isAdmitted = true;
    const { blocking, notable, harmless } = unsupportedIn(this.#pod, {
      isRoot: process.getuid?.() === 0,
      mounts: mountMode,
      closedTo: (container) => closedTo(container, images),
    });
    if (notable.length > 0) this.#tell('Warning', 'NotSupported', `the playground does not do this: ${notable.join('; ')}`);
    if (harmless.length > 0) this.#tell('Normal', 'NotEnforced', `not enforced for processes of the playground: ${harmless.join(', ')}`);
    if (blocking.length > 0) this.#block('NotSupported', `the playground cannot run this pod: ${blocking.join('; ')}`);
    this.#podIP = addresses.take();
    if (this.#podIP === undefined) this.#block('FailedCreatePodSandBox', `node ${this.#context.nodeName} has no free pod address`);
    if (addresses.limitation !== undefined) this.#tell('Warning', 'NotSupported', addresses.limitation);
  }

  #block(reason: string, message: string): void {
    this.#blocked = { reason, message };
    this.#tell('Warning', reason, message);
  }

  #end(asked: Ending): void {
    const before = this.#ending;
    this.#ending = both(before, asked);
    if (before !== undefined) return;
    for (const [name, container] of this.#containers) {
      if (container.isRunning) this.#tell('Normal', 'Killing', `Stopping container ${name}`);
    }
  }

  async #syncEnding(ending: Ending): Promise<void> {
    const mains = this.#pod.containers.flatMap(({ name }) => this.#runner(name));
    const inits = this.#pod.initContainers.flatMap(({ name }) => this.#runner(name)).reverse();
    for (const container of this.#containers.values()) container.stopProbes();
    // Sidecars serve the others to their end, and end in reverse order.
    const isMainRunning = mains.some(({ isRunning }) => isRunning);
    const stopping = isMainRunning ? mains : inits.filter(({ isRunning }) => isRunning).slice(0, 1);
    for (const container of stopping) container.stop(ending.graceSeconds * 1000);
    if (this.#isAnyRunning()) return ending.isForgotten || ending.isLastWord ? undefined : this.#report();
    this.#outcome ??= { phase: this.#haveAllSucceeded() ? 'Succeeded' : 'Failed' };
    if (!ending.isForgotten) await this.#sayGoodbye(ending);
    this.#isOver = true;
  }

  async #sayGoodbye({ isLastWord }: Ending): Promise<void> {
    try {
      await this.#report();
      await removeObject(this.#context.nodeApi, this.#pod);
    } catch (error) {
      if (!isLastWord) throw error;
      this.#trouble(`ends unreported: ${messageOf(error)}`);
    }
  }

  async #report(): Promise<void> {
    if (this.#isHistory) return;
    const said = await writeStatus(this.#context.nodeApi, this.#pod, this.#status());
    if (said !== undefined) this.#accept(said);
  }

  #status(): Record<string, unknown> {
    const { clock, hostIP, restartBackoffMs } = this.#context;
    return statusOf({
      pod: this.#pod,
      facts: this.#facts(),
      now: clock.now(),
      restartBaseMs: restartBackoffMs,
      hostIP,
      podIP: this.#podIP ?? asString(dig(this.#pod.object, 'status', 'podIP')),
      startedAt: this.#startedAt,
      hasSandbox: this.#volumes.areMade,
      isInitialized: this.#isInitialized,
      isEnding: this.#ending !== undefined,
      outcome: this.#isAnyRunning() ? undefined : this.#outcome,
      blocked: this.#blocked,
    });
  }

  /** Never back to an older one: the answer to our own write may have been quicker than the watch. */
  #accept(object: KubeObject): void {
    const before = this.#pod;
    if (!isNewer(object.metadata.resourceVersion ?? '', before.object.metadata.resourceVersion ?? '')) return;
    this.#pod = readPod(object);
    if (!isSyncedAnew(before, this.#pod)) return;
    this.#volumes.refreshSoon();
    this.wake();
  }

  #isPastDeadline(): boolean {
    const { activeDeadlineSeconds } = this.#pod;
    if (activeDeadlineSeconds === undefined) return false;
    const left = this.#startedAt + activeDeadlineSeconds * 1000 - this.#context.clock.now();
    if (left > 0) this.#alarm.ringAfter(left);
    return left <= 0;
  }

  #facts(): Facts {
    return new Map([...this.#containers].map(([name, container]) => [name, container.facts]));
  }

  #runner(name: string): ContainerRunner[] {
    const runner = this.#containers.get(name);
    return runner === undefined ? [] : [runner];
  }

  #isAnyRunning(): boolean {
    return [...this.#containers.values()].some(({ isRunning }) => isRunning);
  }

  #haveAllSucceeded(): boolean {
    const states = this.#pod.containers.map(({ name }) => this.#containers.get(name)?.facts.state);
    return states.every((state) => state?.type === 'ended' && state.end.exitCode === 0);
  }

  #surroundings(volumes: Volumes, references: References): Surroundings {
    return {
      dir: this.#dir,
      volumes,
      references,
      pod: () => this.#pod,
      podIP: () => this.#podIP ?? '',
      tell: this.#tell,
      wake: () => {
        // A kubelet syncs a pod, its volumes too, when a container ends or a probe changes its mind.
        if (this.#volumes.areMade) this.#volumes.refreshSoon();
        this.wake();
      },
    };
  }

  #trouble(message: string): void {
    this.#context.onTrouble(`pod ${this.#pod.ref.namespace}/${this.#pod.ref.name}: ${message}`);
  }

  /** What has ended needs neither address nor volumes; its status and its logs stay until its object goes. */
  async #release(): Promise<void> {
    if (this.#podIP === undefined) return;
    this.#context.addresses.giveBack(this.#podIP);
    this.#podIP = undefined;
    await rm(path.join(this.#dir, 'volumes'), { recursive: true, force: true, maxRetries: 3 });
  }

  async #cleanUp(): Promise<void> {
    if (this.#podIP !== undefined) this.#context.addresses.giveBack(this.#podIP);
    try {
      await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      this.#trouble(`cannot remove ${this.#dir}: ${messageOf(error)}`);
    }
  }
}
