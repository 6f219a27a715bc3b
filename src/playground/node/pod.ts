// What happens to one pod on this node, from its binding to the end of its last process?
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { kinds } from '../../api/kinds.ts';
import { asList, asNumber, asString, dig, isNewer, type KubeObject } from '../../api/objects.ts';
import { hasCode } from '../../kube/errors.ts';
import { messageOf } from '../failure.ts';
import { ContainerRunner, type Surroundings } from './container.ts';
import type { NodeContext } from './context.ts';
import type { Tell } from './events.ts';
import type { ContainerLog } from './logs.ts';
import { type Facts, type Plan, planOf } from './plan.ts';
import { everyContainer, isSyncedAnew, type Pod, readPod } from './pod-spec.ts';
import { References } from './references.ts';
import { isSaid, type StatusInputs, statusOf } from './status.ts';
import { unsupportedIn } from './support.ts';
import { Volumes } from './volumes.ts';

/** A kubelet's: volumes that cannot be made are tried again after half a second, doubled up to two minutes. */
const FIRST_MOUNT_RETRY_MS = 500;
const LONGEST_MOUNT_RETRY_MS = 122_000;
/** Deleted by force, a pod still gets this much from a kubelet. */
const LEAST_GRACE_SECONDS = 1;
const TROUBLE_RETRY_MS = 1_000;
/** A timer cannot run longer than 24 days; waking for nothing costs nothing. */
const LONGEST_SLEEP_MS = 3_600_000;

type Outcome = NonNullable<StatusInputs['outcome']>;

/** `isForgotten`: the object is gone, nothing is left to report. `isLastWord`: the node goes, there is no second attempt. */
type Ending = { graceSeconds: number; isForgotten: boolean; isLastWord: boolean };

export class PodRunner {
  readonly #context: NodeContext;
  readonly #dir: string;
  readonly #tell: Tell;
  readonly #references: References;
  readonly #volumes: Volumes;
  readonly #containers: ReadonlyMap<string, ContainerRunner>;
  readonly #ended = Promise.withResolvers<void>();
  #pod: Pod;
  #startedAt: number;
  #podIP: string | undefined;
  #isAdmitted = false;
  #blocked: StatusInputs['blocked'];
  #hasVolumes = false;
  #volumesDueAt = 0;
  #mountFailures = 0;
  #isInitialized = false;
  #outcome: Outcome | undefined;
  #ending: Ending | undefined;
  /** It had ended before this node looked at it: what its status says is all that is known. */
  readonly #isHistory: boolean;
  #isOver = false;
  #isAwake = Promise.withResolvers<void>();
  #wakeAt = Number.POSITIVE_INFINITY;
  #cancelTimer = (): void => undefined;

  constructor(object: KubeObject, context: NodeContext) {
    this.#context = context;
    this.#pod = readPod(object);
    const { ref } = this.#pod;
    this.#dir = path.join(context.dir, 'pods', ref.uid);
    this.#tell = context.events.for(ref);
    this.#references = new References(context.nodeApi.api, ref.namespace);
    this.#volumes = new Volumes(path.join(this.#dir, 'volumes'), context.nodeApi, this.#references);
    this.#startedAt = Date.parse(asString(dig(object, 'status', 'startTime')) ?? '') || context.clock.now();
    this.#outcome = formerOutcome(object);
    this.#isHistory = this.#outcome !== undefined;
    this.#containers = new Map(
      everyContainer(this.#pod).map((container) => [
        container.name,
        new ContainerRunner(container, this.#surroundings(), context, formerRestarts(object, container.name)),
      ]),
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

  /** Resolves when no process is left and, unless it was forgotten, its object was deleted or has a final status. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  log(container: string | undefined, isPrevious: boolean): ContainerLog | undefined {
    const name = container ?? this.#pod.containers[0]?.name ?? '';
    return this.#containers.get(name)?.log(isPrevious);
  }

  update(object: KubeObject): void {
    const version = object.metadata.resourceVersion ?? '';
    const known = this.#pod.object.metadata.resourceVersion ?? '';
    // The answer to our own write may have been quicker than the watch.
    if (!isNewer(version, known)) return;
    this.#accept(object);
    this.wake();
  }

  /** The object is gone: by force, or because we have deleted it. Its processes get their grace period all the same. */
  removed(): void {
    this.#endWithin({ graceSeconds: this.#pod.graceSeconds, isForgotten: true, isLastWord: false });
    this.wake();
  }

  /** The node goes down in order: the pod ends by its grace period and its object is deleted. */
  shutDown(graceSeconds = this.#pod.graceSeconds): void {
    this.#endWithin({ graceSeconds: Math.min(graceSeconds, this.#pod.graceSeconds), isForgotten: false, isLastWord: true });
    this.wake();
  }

  /** The power goes: no signal that could be handled, nothing reported. */
  vanish(): void {
    this.#isOver = true;
    this.#cancelTimer();
    for (const container of this.#containers.values()) {
      container.stopProbes();
      container.kill();
    }
    this.#isAwake.resolve();
  }

  wake(): void {
    this.#isAwake.resolve();
  }

  /** Never throws; ends with the pod. */
  async run(): Promise<void> {
    this.wake();
    while (!this.#isOver) {
      await this.#isAwake.promise;
      this.#isAwake = Promise.withResolvers();
      this.#wakeAt = Number.POSITIVE_INFINITY;
      if (this.#isOver) break;
      try {
        await this.#sync();
      } catch (error) {
        this.#context.onTrouble(`pod ${this.#pod.ref.namespace}/${this.#pod.ref.name}: ${messageOf(error)}`);
        this.#wakeAfter(TROUBLE_RETRY_MS);
      }
      this.#armTimer();
    }
    await this.#cleanUp();
    this.#ended.resolve();
  }

  async #sync(): Promise<void> {
    const { deletion } = this.#pod;
    if (deletion !== undefined) {
      const graceSeconds = Math.max(deletion.graceSeconds, LEAST_GRACE_SECONDS);
      this.#endWithin({ graceSeconds, isForgotten: false, isLastWord: false });
    }
    if (this.#ending !== undefined) return this.#syncEnding(this.#ending);
    if (this.#outcome !== undefined) return this.#report();
    if (!this.#isAdmitted) this.#admit();
    if (this.#blocked !== undefined) return this.#report();
    if (this.#isPastDeadline()) {
      this.#outcome = {
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      };
      for (const container of this.#containers.values()) container.stop(this.#pod.graceSeconds * 1000);
      return this.#report();
    }
    if (!(await this.#syncVolumes())) return this.#report();
    await this.#advance();
    await this.#report();
  }

  async #advance(): Promise<void> {
    const { clock, restartBackoffMs } = this.#context;
    const plan = planOf(this.#pod, this.#facts(), clock.now(), restartBackoffMs);
    this.#isInitialized = plan.isInitialized;
    for (const { type, container } of plan.steps) {
      const runner = this.#containers.get(container);
      if (type === 'stop') runner?.stop(this.#pod.graceSeconds * 1000);
      else if (this.#ending === undefined) await runner?.start();
    }
    this.#noteOutcome(plan);
    // What was started may be waiting already, for an image or a key.
    const { steps, wakeAt } = planOf(this.#pod, this.#facts(), clock.now(), restartBackoffMs);
    if (steps.some(({ type }) => type === 'start')) this.wake();
    else if (wakeAt !== undefined) this.#wakeAfter(wakeAt - clock.now());
  }

  #noteOutcome({ outcome }: Plan): void {
    if (outcome !== undefined && !this.#isAnyRunning()) this.#outcome = { phase: outcome };
  }

  #admit(): void {
    const { addresses, mountMode } = this.#context;
    this.#isAdmitted = true;
    const { blocking, notable, harmless } = unsupportedIn(this.#pod, { isRoot: process.getuid?.() === 0, mounts: mountMode });
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

  /** Whether containers may start. What was mounted once stays as it is when it cannot be refreshed. */
  async #syncVolumes(): Promise<boolean> {
    const { clock, configMapPeriodMs, random } = this.#context;
    const now = clock.monotonic();
    if (now < this.#volumesDueAt) {
      this.#wakeAfter(this.#volumesDueAt - now);
      return this.#hasVolumes;
    }
    const problem = await this.#volumes.sync({ ...this.#context, pod: this.#pod, podIP: this.#podIP ?? '' });
    if (problem === undefined) {
      this.#hasVolumes = true;
      this.#mountFailures = 0;
      // A kubelet looks at each pod again after its period and up to half of it more.
      this.#volumesDueIn(configMapPeriodMs * (1 + random() / 2));
    } else {
      this.#tell('Warning', 'FailedMount', `MountVolume.SetUp failed for volume "${problem.volume}" : ${problem.missing}`);
      this.#volumesDueIn(Math.min(FIRST_MOUNT_RETRY_MS * 2 ** this.#mountFailures, LONGEST_MOUNT_RETRY_MS));
      this.#mountFailures += 1;
    }
    return this.#hasVolumes;
  }

  #volumesDueIn(ms: number): void {
    this.#volumesDueAt = this.#context.clock.monotonic() + ms;
    this.#wakeAfter(ms);
  }

  #endWithin(ending: Ending): void {
    const before = this.#ending;
    this.#ending = {
      graceSeconds: Math.min(ending.graceSeconds, before?.graceSeconds ?? ending.graceSeconds),
      isForgotten: ending.isForgotten || before?.isForgotten === true,
      isLastWord: ending.isLastWord || before?.isLastWord === true,
    };
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
    const first = inits.find(({ isRunning }) => isRunning);
    const stopping = mains.some(({ isRunning }) => isRunning) ? mains : first === undefined ? [] : [first];
    for (const container of stopping) container.stop(ending.graceSeconds * 1000);
    if (this.#isAnyRunning()) return ending.isForgotten || ending.isLastWord ? undefined : this.#report();
    this.#outcome ??= { phase: this.#haveAllSucceeded() ? 'Succeeded' : 'Failed' };
    if (!ending.isForgotten) await this.#sayGoodbye(ending);
    this.#isOver = true;
  }

  async #sayGoodbye({ isLastWord }: Ending): Promise<void> {
    try {
      await this.#report();
      await this.#deleteObject();
    } catch (error) {
      if (!isLastWord) throw error;
      this.#context.onTrouble(`pod ${this.#pod.ref.namespace}/${this.#pod.ref.name} ends unreported: ${messageOf(error)}`);
    }
  }

  #runner(name: string): ContainerRunner[] {
    const runner = this.#containers.get(name);
    return runner === undefined ? [] : [runner];
  }

  /** With its UID: a successor of the same name is none of our business. */
  async #deleteObject(): Promise<void> {
    const { ref } = this.#pod;
    try {
      await this.#context.nodeApi.api.delete(kinds.Pod, ref, { uid: ref.uid }, { gracePeriodSeconds: 0 });
    } catch (error) {
      if (!hasCode(error, 'NotFound', 'Conflict', 'Stale')) throw error;
    }
  }

  async #report(): Promise<void> {
    if (this.#isHistory) return;
    const { clock, hostIP, nodeApi, restartBackoffMs } = this.#context;
    const wanted = statusOf({
      pod: this.#pod,
      facts: this.#facts(),
      now: clock.now(),
      restartBaseMs: restartBackoffMs,
      hostIP,
      podIP: this.#podIP ?? asString(dig(this.#pod.object, 'status', 'podIP')),
      startedAt: this.#startedAt,
      hasSandbox: this.#hasVolumes,
      isInitialized: this.#isInitialized,
      isEnding: this.#ending !== undefined,
      outcome: this.#outcome !== undefined && !this.#isAnyRunning() ? this.#outcome : undefined,
      blocked: this.#blocked,
    });
    if (isSaid(this.#pod.object['status'], wanted)) return;
    try {
      const answer = await nodeApi.patchStatus(this.#pod.ref, replacingAddresses(wanted));
      if (isNewer(answer.metadata.resourceVersion ?? '', this.#pod.object.metadata.resourceVersion ?? '')) this.#accept(answer);
    } catch (error) {
      // Deleted or replaced: the watch tells what follows from that.
      if (!hasCode(error, 'NotFound', 'Stale')) throw error;
    }
  }

  #accept(object: KubeObject): void {
    const before = this.#pod;
    this.#pod = readPod(object);
    if (isSyncedAnew(before, this.#pod)) {
      this.#volumesDueAt = 0;
      this.wake();
    }
  }

  #isPastDeadline(): boolean {
    const { activeDeadlineSeconds } = this.#pod;
    if (activeDeadlineSeconds === undefined) return false;
    const left = this.#startedAt + activeDeadlineSeconds * 1000 - this.#context.clock.now();
    if (left > 0) this.#wakeAfter(left);
    return left <= 0;
  }

  #facts(): Facts {
    return new Map([...this.#containers].map(([name, container]) => [name, container.facts]));
  }

  #isAnyRunning(): boolean {
    return [...this.#containers.values()].some(({ isRunning }) => isRunning);
  }

  #haveAllSucceeded(): boolean {
    const states = this.#pod.containers.map(({ name }) => this.#containers.get(name)?.facts.state);
    return states.every((state) => state?.type === 'ended' && state.end.exitCode === 0);
  }

  #surroundings(): Surroundings {
    return {
      dir: this.#dir,
      volumes: this.#volumes,
      references: this.#references,
      pod: () => this.#pod,
      podIP: () => this.#podIP ?? '',
      tell: this.#tell,
      wake: () => {
        // A kubelet syncs a pod, its volumes too, when a container ends or a probe changes its mind.
        if (this.#hasVolumes) this.#volumesDueAt = 0;
        this.wake();
      },
    };
  }

  #wakeAfter(ms: number): void {
    this.#wakeAt = Math.min(this.#wakeAt, this.#context.clock.monotonic() + Math.max(0, ms));
  }

  #armTimer(): void {
    this.#cancelTimer();
    if (this.#isOver || this.#wakeAt === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#context;
    this.#cancelTimer = clock.after(Math.min(Math.max(0, this.#wakeAt - clock.monotonic()), LONGEST_SLEEP_MS), () => this.wake());
  }

  async #cleanUp(): Promise<void> {
    this.#cancelTimer();
    if (this.#podIP !== undefined) this.#context.addresses.giveBack(this.#podIP);
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
      this.#context.onTrouble(`cannot remove ${this.#dir}: ${messageOf(error)}`);
    });
  }
}

/** Lists of addresses are merged by address; a pod that was taken over would be left with two. */
function replacingAddresses(status: Record<string, unknown>): object {
  const lists = ['podIPs', 'hostIPs'].filter((field) => field in status);
  return { ...status, ...Object.fromEntries(lists.map((field) => [field, [...asList(status[field]), { $patch: 'replace' }]])) };
}

/** Of a pod that had ended before this node looked at it. */
function formerOutcome(object: KubeObject): Outcome | undefined {
  const phase = dig(object, 'status', 'phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const reason = asString(dig(object, 'status', 'reason'));
  const message = asString(dig(object, 'status', 'message'));
  return { phase, ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

/** Processes of an earlier node of this name are gone: to the pod this is one more restart. */
function formerRestarts(object: KubeObject, container: string): number {
  const statuses = [...asList(dig(object, 'status', 'initContainerStatuses')), ...asList(dig(object, 'status', 'containerStatuses'))];
  const status = statuses.find((entry) => dig(entry, 'name') === container);
  return (asNumber(dig(status, 'restartCount')) ?? 0) + (asString(dig(status, 'containerID')) ? 1 : 0);
}
