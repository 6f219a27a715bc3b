// A node of the playground: it registers itself and runs the pods that are bound to it.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type ExactRef, type KubeObject } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import type { Change } from '../../runtime/client/api.ts';
import { Watcher } from '../../runtime/watch/watcher.ts';
import { folderFor, startGuard } from '../processes/guard.ts';
import { type MountMode, parentOfRoots } from './containers/mounts.ts';
import { makeContext, type NodeContext, type NodeOptions } from './context.ts';
import { type KubeletServer, serveKubelet } from './kubelet-server.ts';
import { PodRunner } from './pods/pod.ts';
import { Registration } from './registration.ts';
import { isReady } from './schedule.ts';
import { Scheduler } from './scheduler.ts';

type RunningPod = ExactRef & { readonly pids: readonly number[] };

/** By the UIDs of their pods. */
type Runners = Map<string, PodRunner>;

/** A node that is still tainted as not ready after this time counts as started all the same. */
const UNTAINTED_WITHIN_MS = 60_000;

export class PlaygroundNode {
  readonly #options: NodeOptions;
  readonly #context: NodeContext;
  readonly #server: KubeletServer;
  readonly #runners: Runners;
  readonly #registration: Registration;
  readonly #scheduler: Scheduler;
  readonly #watchers: readonly Watcher[];
  readonly #isUntainted = Promise.withResolvers<void>();
  #watching: Promise<unknown> = Promise.resolve();
  #connection = new AbortController();
  #isReadyInApi = false;
  #isLeaving = false;
  #cancelHeartbeat = (): void => undefined;

  private constructor(
    options: NodeOptions,
    context: NodeContext,
    server: KubeletServer,
    runners: Runners,
  ) {
    this.#options = options;
    this.#context = context;
    this.#server = server;
    this.#runners = runners;
    const { nodeApi, clock, nodeName: name, hostIP, maxPods } = context;
    const identity = { name, hostIP, kubeletPort: server.port, maxPods, labels: {} };
    this.#registration = new Registration(nodeApi, identity, clock);
    this.#scheduler = new Scheduler(context);
    this.#watchers = [
      new Watcher(nodeApi.api, { kind: kinds.Node }, { clock }, (change) => this.#onNode(change)),
      new Watcher(nodeApi.api, { kind: kinds.Pod }, { clock }, (change) => this.#onPod(change)),
    ];
  }

  static async start(options: NodeOptions): Promise<PlaygroundNode> {
    const { name, client } = options;
    const guard = options.guard ?? (await startGuard());
    const dir = await folderFor(undefined, `swarm-node-${name}-`, guard);
    await mkdir(path.join(dir, 'pods'), { mode: 0o700 });
    const rootsDir = await folderFor(undefined, `swarm-roots-${name}-`, guard, parentOfRoots());
    const context = await makeContext(options, guard, { dir, rootsDir });
    const runners: Runners = new Map();
    const server = await serveKubelet(context, client, runners);
    const node = new PlaygroundNode(options, context, server, runners);
    try {
      await node.#join();
      return node;
    } catch (error) {
      await node.vanish();
      throw error;
    }
  }

  get name(): string {
    return this.#options.name;
  }

  get dir(): string {
    return this.#context.dir;
  }

  get mounts(): MountMode {
    return this.#context.mountMode;
  }

  get pods(): readonly RunningPod[] {
    return [...this.#runners.values()]
      .filter(({ isOver }) => !isOver)
      .map((runner) => ({ ...runner.pod.ref, pids: runner.pids }));
  }

  /** Ends its pods within their grace periods, or less, and removes the Node object. */
  async stop({ graceSeconds }: { readonly graceSeconds?: number } = {}): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#scheduler.stop();
    await this.#attempt(this.#registration.cordon());
    for (const runner of this.#runners.values()) runner.shutDown(graceSeconds);
    await this.#untilPodsEnded();
    await this.#context.events.flush();
    this.#cancelHeartbeat();
    await this.#attempt(this.#registration.remove());
    await this.#close();
  }

  /** Simulates a power failure: kills every process at once and tells the cluster nothing. */
  async vanish(): Promise<void> {
    this.#isLeaving = true;
    this.#scheduler.stop();
    this.#context.nodeApi.cutOff(true);
    for (const runner of this.#runners.values()) runner.vanish();
    this.#cancelHeartbeat();
    await this.#untilPodsEnded();
    await this.#close();
  }

  /** Simulates a network failure: the pods keep running. */
  disconnect(): void {
    this.#connection.abort();
    this.#cancelHeartbeat();
    this.#context.nodeApi.cutOff(true);
    this.#server.silence(true);
  }

  reconnect(): void {
    if (!this.#connection.signal.aborted || this.#isLeaving) return;
    this.#context.nodeApi.cutOff(false);
    this.#server.silence(false);
    this.#connection = new AbortController();
    // The control plane may have marked it as lost: the first heartbeat writes the status again.
    this.#isReadyInApi = false;
    this.#watch();
    this.#beat();
    for (const runner of this.#runners.values()) runner.wake();
  }

  /** Resolves when pods can be scheduled to it. */
  async #join(): Promise<void> {
    await this.#registration.register();
    void this.#scheduler.run();
    this.#watch();
    this.#beat();
    const { clock } = this.#context;
    const cancel = clock.after(UNTAINTED_WITHIN_MS, () => this.#isUntainted.resolve());
    await this.#isUntainted.promise;
    cancel();
  }

  #watch(): void {
    const { signal } = this.#connection;
    this.#watching = Promise.all(this.#watchers.map((watcher) => watcher.run(signal)));
  }

  #onNode({ type, object }: Change): void {
    this.#scheduler.onNode(type, object);
    if (object.metadata.name !== this.name) return;
    this.#isReadyInApi = type !== 'DELETED' && isReady(object);
    if (this.#isReadyInApi && !isTaintedByCluster(object)) this.#isUntainted.resolve();
  }

  #onPod({ type, object }: Change): void {
    this.#scheduler.onPod(type, object);
    const uid = object.metadata.uid ?? '';
    const runner = this.#runners.get(uid);
    if (type === 'DELETED') {
      runner?.removed();
      void runner?.ended.then(() => this.#runners.delete(uid));
    } else if (runner !== undefined) runner.update(object);
    else if (asString(dig(object, 'spec', 'nodeName')) === this.name && !this.#isLeaving)
      this.#run(uid, object);
  }

  #run(uid: string, object: KubeObject): void {
    const runner = new PodRunner(object, this.#context);
    this.#runners.set(uid, runner);
    void runner.run();
  }

  /** A heartbeat renews the node lease; it writes the status only if the cluster has another. */
  #beat(): void {
    const heartbeat = async (): Promise<void> => {
      await this.#registration.renew();
      if (!this.#isReadyInApi) await this.#registration.writeStatus();
    };
    void this.#attempt(heartbeat()).then(() => {
      const hasEnded = this.#isLeaving && this.#runners.size === 0;
      if (this.#connection.signal.aborted || hasEnded) return;
      const { heartbeatMs = 2_000 } = this.#options;
      this.#cancelHeartbeat = this.#context.clock.after(heartbeatMs, () => this.#beat());
    });
  }

  async #untilPodsEnded(): Promise<void> {
    await Promise.all([...this.#runners.values()].map(({ ended }) => ended));
  }

  async #close(): Promise<void> {
    const { addresses, nodeApi, guard, rootsDir } = this.#context;
    this.#connection.abort();
    await this.#watching;
    await this.#server.close();
    await addresses.close();
    await nodeApi.close();
    for (const folder of [this.dir, rootsDir]) {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      guard.forgetFolder(folder);
    }
    if (this.#options.guard === undefined) await guard.close();
  }

  async #attempt(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#context.onTrouble(errorText(error));
    }
  }
}

/** Other taints are of users, and stay. */
const isTaintedByCluster = (node: KubeObject): boolean =>
  asList(dig(node, 'spec', 'taints')).some((taint) =>
    asString(dig(taint, 'key'))?.startsWith('node.kubernetes.io/'),
  );
