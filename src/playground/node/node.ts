// How does a node of the playground come up, run the pods that are bound to it, and go?
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type ExactRef, type KubeObject } from '../../api/objects.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type Change, Watcher } from '../../runtime/watch/watcher.ts';
import { messageOf } from '../failure.ts';
import { type Guard, startGuard } from '../processes/guard.ts';
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
  /** Which local command stands for which image; left out: our own images and the plain ones. */
  readonly images?: Images;
  readonly labels?: Strings;
  readonly maxPods?: number;
  /** A guard that is shared with others; left out: one of its own. */
  readonly guard?: Guard;
  /** Left out: a fresh temporary folder, which is removed at the end. */
  readonly dir?: string;
  /** How long a mounted ConfigMap may be behind when nothing else happens to the pod. */
  readonly configMapPeriodMs?: number;
  /** The wait after the second crash in a row; it doubles up to 30 times as much. */
  readonly restartBackoffMs?: number;
  /** To be well below the control plane's grace period for nodes. */
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

export interface PlaygroundNode {
  readonly name: string;
  readonly dir: string;
  readonly kubeletPort: number;
  readonly mounts: MountMode;
  readonly pods: readonly RunningPod[];
  /** Its pods end by their grace periods, or sooner if told so; then the Node object goes. */
  stop(options?: { readonly graceSeconds?: number }): Promise<void>;
  /** As if it lost its power: every process dies at once, and the cluster is told nothing. */
  vanish(): Promise<void>;
  /** As if its network cable were pulled: the pods live on. */
  disconnect(): void;
  reconnect(): void;
}

const HOST_IP = '127.0.0.1';
const DEFAULT_HEARTBEAT_MS = 2_000;
/**
 * A new node is tainted until the control plane has seen it ready; if that takes longer, something
 * else is wrong.
 */
const UNTAINTED_WITHIN_MS = 60_000;

export async function startNode(options: NodeOptions): Promise<PlaygroundNode> {
  const guard = options.guard ?? (await startGuard());
  const dir =
    options.dir === undefined
      ? await mkdtemp(path.join(tmpdir(), `swarm-node-${options.name}-`))
      : path.resolve(options.dir);
  if (options.dir === undefined) guard.watchFolder(dir);
  // A folder that was given may hold what a killed node has left.
  await rm(path.join(dir, 'pods'), { recursive: true, force: true });
  await mkdir(path.join(dir, 'pods'), { recursive: true, mode: 0o700 });
  const node = new Node(options, guard, dir);
  try {
    await node.start();
    return node;
  } catch (error) {
    await node.vanish();
    throw error;
  }
}

class Node implements PlaygroundNode {
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

  constructor(options: NodeOptions, guard: Guard, dir: string) {
    this.name = options.name;
    this.dir = dir;
    this.#options = options;
    this.#guard = guard;
    this.#clock = options.clock ?? systemClock;
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

  async start(): Promise<void> {
    const { name, client, maxPods = 110, labels = {} } = this.#options;
    const context = await this.#makeContext(maxPods);
    const { nodeApi, events } = context;
    const server = await serveKubelet({ host: HOST_IP, name, client }, (...asked) =>
      this.#logOf(...asked),
    );
    const registration = new Registration(
      nodeApi,
      { name, hostIP: HOST_IP, kubeletPort: server.port, maxPods, labels },
      this.#clock,
    );
    const scheduler = new Scheduler({
      nodeName: name,
      nodeApi,
      events,
      clock: this.#clock,
      onTrouble: context.onTrouble,
    });
    const watch = (
      kind: typeof kinds.Pod | typeof kinds.Node,
      onChange: (change: Change) => void,
    ): Watcher => new Watcher(nodeApi.api, { kind }, { clock: this.#clock }, onChange);
    const nodes = watch(kinds.Node, (change) => this.#onNode(change, scheduler));
    const pods = watch(kinds.Pod, (change) => this.#onPod(change, scheduler, context));
    this.#parts = {
      context,
      server,
      registration,
      scheduler,
      watchers: [nodes, pods],
      watching: Promise.resolve(),
    };
    await registration.register();
    this.#watch(this.#parts);
    this.#beat();
    const cancel = this.#clock.after(UNTAINTED_WITHIN_MS, () => this.#isUntainted.resolve());
    await this.#isUntainted.promise;
    cancel();
  }

  async stop({ graceSeconds }: { readonly graceSeconds?: number } = {}): Promise<void> {
    if (this.#isLeaving || this.#parts === undefined) return;
    this.#isLeaving = true;
    const { registration, scheduler, context } = this.#parts;
    scheduler.stop();
    await this.#attempt(registration.cordon());
    for (const runner of this.#runners.values()) runner.shutDown(graceSeconds);
    await Promise.all([...this.#runners.values()].map(({ ended }) => ended));
    await context.events.flush();
    this.#cancelHeartbeat();
    await this.#attempt(registration.remove());
    await this.#close();
  }

  async vanish(): Promise<void> {
    this.#isLeaving = true;
    this.#parts?.scheduler.stop();
    this.#parts?.context.nodeApi.cutOff(true);
    for (const runner of this.#runners.values()) runner.vanish();
    this.#cancelHeartbeat();
    await Promise.all([...this.#runners.values()].map(({ ended }) => ended));
    await this.#close();
  }

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
    // Meanwhile the cluster has given it up: that is put right first.
    this.#isReadyInApi = false;
    this.#watch(this.#started);
    this.#beat();
    for (const runner of this.#runners.values()) runner.wake();
  }

  get #started(): Parts {
    if (this.#parts === undefined) throw new Error(`node ${this.name} has not been started`);
    return this.#parts;
  }

  async #makeContext(maxPods: number): Promise<NodeContext> {
    const { options, name } = { options: this.#options, name: this.name };
    const nodeApi = connect(options.kubeconfig);
    return {
      nodeName: name,
      hostIP: HOST_IP,
      dir: this.dir,
      nodeApi,
      shared: new SharedGet(nodeApi.api),
      addresses: await claimAddresses(options.random),
      events: new Events(nodeApi.api, 'kubelet', name),
      images: options.images ?? defaultImages,
      mountMode: await findMountMode(options.mounts ?? 'auto', this.dir),
      allocatable: capacityOf(maxPods),
      clock: this.#clock,
      guard: this.#guard,
      configMapPeriodMs: options.configMapPeriodMs ?? 60_000,
      restartBackoffMs: options.restartBackoffMs ?? RESTART_BASE_MS,
      random: options.random ?? Math.random,
      onTrouble: (message) => this.#trouble(message),
    };
  }

  #watch(parts: Parts): void {
    parts.watching = Promise.all(
      parts.watchers.map((watcher) => watcher.run(this.#connection.signal)),
    );
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

  /**
   * Each beat renews the lease; the status is written again only when the cluster says something
   * else.
   */
  #beat(): void {
    const { registration } = this.#started;
    const again = (): void => {
      if (this.#isLeaving && this.#runners.size === 0) return;
      this.#cancelHeartbeat = this.#clock.after(
        this.#options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
        () => this.#beat(),
      );
    };
    const work = this.#isReadyInApi
      ? registration.renew()
      : registration.renew().then(() => registration.writeStatus());
    void this.#attempt(work).then(() => {
      if (!this.#connection.signal.aborted) again();
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
    return `${isPrevious ? 'previous terminated ' : ''}container "${container}" in pod "${name}" ${isPrevious ? 'not found' : 'has not started yet'}`;
  }

  async #close(): Promise<void> {
    this.#connection.abort();
    const parts = this.#parts;
    if (parts !== undefined) {
      await parts.watching;
      await parts.server.close();
      await parts.context.addresses.close();
      await parts.context.nodeApi.close();
    }
    await rm(path.join(this.dir, 'pods'), { recursive: true, force: true, maxRetries: 3 });
    if (this.#options.dir === undefined)
      await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
    this.#guard.forgetFolder(this.dir);
    if (this.#options.guard === undefined) await this.#guard.close();
  }

  async #attempt(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#trouble(messageOf(error));
    }
  }

  #trouble(message: string): void {
    this.#options.onTrouble?.(`node ${this.name}: ${message}`);
  }
}

type Parts = {
  readonly context: NodeContext;
  readonly server: KubeletServer;
  readonly registration: Registration;
  readonly scheduler: Scheduler;
  readonly watchers: readonly Watcher[];
  watching: Promise<unknown>;
};
