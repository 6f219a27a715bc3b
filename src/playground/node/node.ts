// A node of the playground: it registers itself and runs the pods that are bound to it.

import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorText } from '../../api/error-text.ts';
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type ExactRef, type KubeObject } from '../../api/objects.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { Change } from '../../runtime/watch/change.ts';
import { Watcher } from '../../runtime/watch/watcher.ts';
import { folderFor, type Guard, startGuard } from '../processes/guard.ts';
import { claimAddresses } from './addresses.ts';
import type { ContainerLog } from './containers/logs.ts';
import { findMountMode, type MountMode, type MountWish } from './containers/mounts.ts';
import type { NodeContext } from './context.ts';
import { Events } from './events.ts';
import { defaultImages, type Images } from './images.ts';
import { type KubeletServer, serveKubelet } from './kubelet-server.ts';
import { capacityOf } from './node-object.ts';
import { PodRunner } from './pods/pod.ts';
import type { Strings } from './pods/pod-spec.ts';
import { RESTART_BASE_MS } from './pods/restart.ts';
import { Registration } from './registration.ts';
import { connect } from './requests.ts';
import { isReady } from './schedule.ts';
import { Scheduler } from './scheduler.ts';
import { SharedGet } from './volumes/shared-get.ts';

export type NodeOptions = {
  readonly kubeconfig: string;
  readonly name: string;
  /** The API server's client certificate (PEM): the node answers no other client. */
  readonly client: string;
  /** The local command for each image; left out: our own images and plain ones. */
  readonly images?: Images;
  readonly labels?: Strings;
  readonly maxPods?: number;
  /** Shared with others; left out: one of its own. */
  readonly guard?: Guard;
  /** Left out: a temporary folder, which is removed at the end. */
  readonly dir?: string;
  /** The sync period: how old a mounted ConfigMap may get when the pod does not change. */
  readonly configMapPeriodMs?: number;
  /** The back-off after the second crash in a row; it doubles up to 30 times as much. */
  readonly restartBackoffMs?: number;
  /** Must be well below the control plane's grace period for nodes. */
  readonly heartbeatMs?: number;
  readonly mounts?: MountWish;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onTrouble?: (message: string) => void;
};

export type RunningPod = ExactRef & {
  readonly ip: string | undefined;
  readonly pids: readonly number[];
};

const HOST_IP = '127.0.0.1';
/** A node that is tainted as not ready for longer has another problem. */
const UNTAINTED_WITHIN_MS = 60_000;

type Parts = {
  readonly context: NodeContext;
  readonly server: KubeletServer;
  readonly registration: Registration;
  readonly scheduler: Scheduler;
  readonly watchers: readonly Watcher[];
  watching: Promise<unknown>;
};

export class PlaygroundNode {
  readonly name: string;
  readonly dir: string;
  readonly #options: NodeOptions;
  readonly #guard: Guard;
  readonly #clock: Clock;
  readonly #runners = new Map<string, PodRunner>();
  readonly #isUntainted = Promise.withResolvers<void>();
  #parts: Parts | undefined;
  #connection = new AbortController();
  #isReadyInApi = false;
  #isLeaving = false;
  #cancelHeartbeat = (): void => undefined;

  private constructor(options: NodeOptions, guard: Guard, dir: string) {
    this.name = options.name;
    this.dir = dir;
    this.#options = options;
    this.#guard = guard;
    this.#clock = options.clock ?? systemClock;
  }

  static async start(options: NodeOptions): Promise<PlaygroundNode> {
    const guard = options.guard ?? (await startGuard());
    const dir = await folderFor(options.dir, `swarm-node-${options.name}-`, guard);
    // A node that was killed may have left pods in a given folder.
    await rm(path.join(dir, 'pods'), { recursive: true, force: true });
    await mkdir(path.join(dir, 'pods'), { recursive: true, mode: 0o700 });
    const node = new PlaygroundNode(options, guard, dir);
    try {
      await node.#start();
      return node;
    } catch (error) {
      await node.vanish();
      throw error;
    }
  }

  get kubeletPort(): number {
    return this.#started.server.port;
  }

  get mounts(): MountMode {
    return this.#started.context.mountMode;
  }

  get pods(): readonly RunningPod[] {
    return [...this.#runners.values()]
      .filter(({ isOver }) => !isOver)
      .map((runner) => ({ ...runner.pod.ref, ip: runner.ip, pids: runner.pids }));
  }

  /** Ends its pods within their grace periods, or less, and removes the Node object. */
  async stop({ graceSeconds }: { readonly graceSeconds?: number } = {}): Promise<void> {
    if (this.#isLeaving || this.#parts === undefined) return;
    this.#isLeaving = true;
    const { registration, scheduler, context } = this.#parts;
    scheduler.stop();
    await this.#attempt(registration.cordon());
    for (const runner of this.#runners.values()) runner.shutDown(graceSeconds);
    await this.#untilPodsEnded();
    await context.events.flush();
    this.#cancelHeartbeat();
    await this.#attempt(registration.remove());
    await this.#close();
  }

  /** Simulates a power failure: kills every process at once and tells the cluster nothing. */
  async vanish(): Promise<void> {
    this.#isLeaving = true;
    this.#parts?.scheduler.stop();
    this.#parts?.context.nodeApi.cutOff(true);
    for (const runner of this.#runners.values()) runner.vanish();
    this.#cancelHeartbeat();
    await this.#untilPodsEnded();
    await this.#close();
  }

  /** Simulates a network failure: the pods keep running. */
  disconnect(): void {
    const { context, server } = this.#started;
    this.#connection.abort();
    this.#cancelHeartbeat();
    context.nodeApi.cutOff(true);
    server.silence(true);
  }

  reconnect(): void {
    const { context, server } = this.#started;
    if (!this.#connection.signal.aborted || this.#isLeaving) return;
    context.nodeApi.cutOff(false);
    server.silence(false);
    this.#connection = new AbortController();
    // The control plane may have marked it as lost: the first heartbeat writes the status again.
    this.#isReadyInApi = false;
    this.#watch(this.#started);
    this.#beat();
    for (const runner of this.#runners.values()) runner.wake();
  }

  get #started(): Parts {
    if (this.#parts === undefined) throw new Error(`node ${this.name} has not been started`);
    return this.#parts;
  }

  async #start(): Promise<void> {
    const { name, client, maxPods = 110, labels = {} } = this.#options;
    const context = await this.#makeContext(maxPods);
    const { nodeApi } = context;
    const server = await serveKubelet({ host: HOST_IP, name, client }, (...wanted) =>
      this.#logOf(...wanted),
    );
    const identity = { name, hostIP: HOST_IP, kubeletPort: server.port, maxPods, labels };
    const registration = new Registration(nodeApi, identity, this.#clock);
    const scheduler = new Scheduler(context);
    const watcher = (kind: typeof kinds.Pod | typeof kinds.Node, on: (change: Change) => void) =>
      new Watcher(nodeApi.api, { kind }, { clock: this.#clock }, on);
    const watchers = [
      watcher(kinds.Node, (change) => this.#onNode(change, scheduler)),
      watcher(kinds.Pod, (change) => this.#onPod(change, scheduler, context)),
    ];
    const watching = Promise.resolve();
    this.#parts = { context, server, registration, scheduler, watchers, watching };
    await registration.register();
    this.#watch(this.#parts);
    this.#beat();
    const cancel = this.#clock.after(UNTAINTED_WITHIN_MS, () => this.#isUntainted.resolve());
    await this.#isUntainted.promise;
    cancel();
  }

  async #makeContext(maxPods: number): Promise<NodeContext> {
    const { name: nodeName, kubeconfig, random = Math.random, ...options } = this.#options;
    const nodeApi = connect(kubeconfig);
    return {
      nodeName,
      hostIP: HOST_IP,
      dir: this.dir,
      nodeApi,
      shared: new SharedGet(nodeApi.api),
      addresses: await claimAddresses(random),
      events: new Events(nodeApi.api, 'kubelet', nodeName),
      images: options.images ?? defaultImages,
      mountMode: await findMountMode(options.mounts ?? 'auto', this.dir),
      allocatable: capacityOf(maxPods),
      clock: this.#clock,
      guard: this.#guard,
      configMapPeriodMs: options.configMapPeriodMs ?? 60_000,
      restartBackoffMs: options.restartBackoffMs ?? RESTART_BASE_MS,
      random,
      onTrouble: (message) => this.#trouble(message),
    };
  }

  #watch(parts: Parts): void {
    const { signal } = this.#connection;
    parts.watching = Promise.all(parts.watchers.map((watcher) => watcher.run(signal)));
  }

  #onNode({ type, object }: Change, scheduler: Scheduler): void {
    scheduler.onNode(type, object);
    if (object.metadata.name !== this.name) return;
    this.#isReadyInApi = type !== 'DELETED' && isReady(object);
    if (this.#isReadyInApi && asList(dig(object, 'spec', 'taints')).length === 0)
      this.#isUntainted.resolve();
  }

  #onPod({ type, object }: Change, scheduler: Scheduler, context: NodeContext): void {
    scheduler.onPod(type, object);
    const uid = object.metadata.uid ?? '';
    const runner = this.#runners.get(uid);
    if (type === 'DELETED') {
      runner?.removed();
      void runner?.ended.then(() => this.#runners.delete(uid));
    } else if (runner !== undefined) runner.update(object);
    else if (asString(dig(object, 'spec', 'nodeName')) === this.name && !this.#isLeaving)
      this.#admit(uid, object, context);
  }

  #admit(uid: string, object: KubeObject, context: NodeContext): void {
    const runner = new PodRunner(object, context);
    this.#runners.set(uid, runner);
    void runner.run();
  }

  /** A heartbeat renews the node lease; it writes the status only if the cluster has another. */
  #beat(): void {
    const { registration } = this.#started;
    const { heartbeatMs = 2_000 } = this.#options;
    const heartbeat = async (): Promise<void> => {
      await registration.renew();
      if (!this.#isReadyInApi) await registration.writeStatus();
    };
    void this.#attempt(heartbeat()).then(() => {
      const hasEnded = this.#isLeaving && this.#runners.size === 0;
      if (this.#connection.signal.aborted || hasEnded) return;
      this.#cancelHeartbeat = this.#clock.after(heartbeatMs, () => this.#beat());
    });
  }

  #logOf(
    namespace: string,
    name: string,
    container: string,
    isPrevious: boolean,
  ): ContainerLog | string {
    const named = [...this.#runners.values()].filter(
      ({ pod: { ref } }) => ref.namespace === namespace && ref.name === name,
    );
    const runner = named.find(({ isOver }) => !isOver) ?? named.at(-1);
    if (runner === undefined)
      return `pod "${name}" in namespace "${namespace}" is not on node ${this.name}`;
    const log = runner.log(container, isPrevious);
    if (log !== undefined) return log;
    return isPrevious
      ? `previous terminated container "${container}" in pod "${name}" not found`
      : `container "${container}" in pod "${name}" has not started yet`;
  }

  async #untilPodsEnded(): Promise<void> {
    await Promise.all([...this.#runners.values()].map(({ ended }) => ended));
  }

  async #close(): Promise<void> {
    this.#connection.abort();
    if (this.#parts !== undefined) {
      const { watching, server, context } = this.#parts;
      await watching;
      await server.close();
      await context.addresses.close();
      await context.nodeApi.close();
    }
    const { dir, guard } = this.#options;
    const removed = dir === undefined ? this.dir : path.join(dir, 'pods');
    await rm(removed, { recursive: true, force: true, maxRetries: 3 });
    this.#guard.forgetFolder(this.dir);
    if (guard === undefined) await this.#guard.close();
  }

  async #attempt(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#trouble(errorText(error));
    }
  }

  #trouble(message: string): void {
    this.#options.onTrouble?.(`node ${this.name}: ${message}`);
  }
}

export const startNode = (options: NodeOptions): Promise<PlaygroundNode> =>
  PlaygroundNode.start(options);
