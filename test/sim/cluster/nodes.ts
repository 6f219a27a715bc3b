// Which nodes exist, and what does each kubelet know? The scheduler binds pods to them; a node can
// be cut off, go down, and come back.
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, type KubeObject, keyOf } from '../../../src/api/objects.ts';
import { Actor, Feed, type Surroundings } from './actor.ts';
import { isReady } from './facts.ts';
import type { Ledger } from './ledger.ts';
import { type NodeServices, nodeOf, PodRunner } from './pod-runner.ts';

/** Forty seconds on a real cluster. */
const NOTICED_MS = 3_000;
const PERIOD_MS = 60_000;

/** Observers of containers. */
type Watching = Pick<NodeServices, 'onSpawn' | 'onContainer' | 'isAiling'>;

type State = 'up' | 'cut off' | 'down';

class Node {
  readonly name: string;
  state: State = 'up';
  readonly runners = new Map<string, PodRunner>();
  readonly #known = new Map<string, KubeObject>();
  readonly feeds: readonly Feed[];
  readonly #nodes: Nodes;

  constructor(name: string, nodes: Nodes) {
    this.name = name;
    this.#nodes = nodes;
    const { surroundings } = nodes;
    const { random } = surroundings;
    const hears = (): boolean => this.state === 'up';
    // Now and then a kubelet lags far behind.
    const lag = (): number =>
      random.chance(0.06) ? random.between(300, 3_000) : random.between(3, 50);
    this.feeds = [
      new Feed(
        surroundings,
        kinds.ConfigMap,
        lag,
        hears,
        ({ type, object }) => {
          if (type === 'DELETED') this.#known.delete(keyOf(object.metadata));
          else this.#known.set(keyOf(object.metadata), object);
        },
        () => this.#readAnew(),
      ),
      new Feed(
        surroundings,
        kinds.Pod,
        () => random.between(3, 40),
        hears,
        ({ type, object }) => this.#see(type === 'DELETED', object),
        (present) => this.#begin(present),
      ),
    ];
  }

  configMap(namespace: string, name: string): KubeObject | undefined {
    return this.#known.get(keyOf({ namespace, name }));
  }

  /** A restarted kubelet reads all ConfigMaps before it starts any pod. */
  #readAnew(): void {
    this.#known.clear();
    for (const object of this.#nodes.surroundings.server.all({ kind: kinds.ConfigMap }))
      this.#known.set(keyOf(object.metadata), object);
  }

  /**
   * After a restoration, a kubelet ends pods that it does not find, runs pods that it finds again,
   * and reports terminating ones as gone.
   */
  #begin(present: readonly KubeObject[]): void {
    this.#readAnew();
    const here = present.filter((pod) => nodeOf(pod) === this.name);
    for (const [uid, runner] of [...this.runners])
      if (!here.some(({ metadata }) => metadata.uid === uid)) runner.forced();
    for (const pod of here) {
      const { uid = '', deletionTimestamp } = pod.metadata;
      const runner = this.runners.get(uid);
      if (runner !== undefined) {
        runner.see(pod);
        runner.reportStatus();
      } else if (deletionTimestamp === undefined) this.#see(false, pod);
      else this.#nodes.surroundings.server.remove(kinds.Pod, pod.metadata, { uid }, 0);
    }
  }

  #see(isDeleted: boolean, pod: KubeObject): void {
    if (nodeOf(pod) !== this.name) return;
    const uid = pod.metadata.uid ?? '';
    const present = this.runners.get(uid);
    if (isDeleted) present?.forced();
    else if (present !== undefined) {
      if (present.pod.metadata.resourceVersion !== pod.metadata.resourceVersion) present.see(pod);
    } else if (pod.metadata.deletionTimestamp === undefined)
      this.runners.set(uid, this.#nodes.run(this, pod));
  }
}

export class Nodes {
  readonly surroundings: Surroundings;
  readonly #ledger: Ledger;
  readonly #watching: Watching;
  readonly all: readonly Node[];
  readonly #addresses: string[];

  constructor(surroundings: Surroundings, ledger: Ledger, watching: Watching, count = 3) {
    this.surroundings = surroundings;
    this.#ledger = ledger;
    this.#watching = watching;
    this.#addresses = Array.from({ length: 60 }, (_, index) => `10.0.0.${index + 1}`);
    this.all = Array.from({ length: count }, (_, index) => new Node(`node-${index}`, this));
    new Actor(surroundings, [kinds.Pod], () => this.#schedule());
    this.#period();
  }

  get runners(): readonly PodRunner[] {
    return this.all.flatMap((node) => [...node.runners.values()]);
  }

  run(node: Node, pod: KubeObject): PodRunner {
    const runner: PodRunner = new PodRunner(
      {
        ...this.surroundings,
        ledger: this.#ledger,
        // Addresses are reused at once: the last one released is the first one given out.
        takeAddress: () => this.#addresses.pop() ?? '10.9.9.9',
        giveAddress: (ip) => this.#addresses.push(ip),
        configMap: (namespace, name) => node.configMap(namespace, name),
        ...this.#watching,
        isConnected: () => node.state === 'up',
        isPowered: () => node.state !== 'down',
        onEnd: ({ pod: { metadata } }) => node.runners.delete(metadata.uid ?? ''),
      },
      pod,
    );
    return runner;
  }

  /** The pod that has the address. */
  podAt(url: string): string | undefined {
    const { hostname } = new URL(url);
    return this.runners.find(({ ip, phase }) => ip === hostname && phase !== 'Ended')?.pod.metadata
      .uid;
  }

  /** The response of a worker to one request. */
  async ask(url: string): Promise<string> {
    const { clock, random } = this.surroundings;
    const { hostname } = new URL(url);
    const wait = (ms: number): Promise<void> =>
      new Promise((resolve) => void clock.after(ms, resolve));
    const found = this.all.flatMap((node) =>
      [...node.runners.values()].map((runner) => ({ node, runner })),
    );
    const at = found.find(({ runner }) => runner.ip === hostname && runner.phase !== 'Ended');
    await wait(random.between(1, 8));
    if (at !== undefined && at.node.state !== 'up') {
      await wait(2_000);
      throw new Error('no answer within 2 s');
    }
    if (at?.runner.worker?.isServing !== true)
      throw new Error(`connect ECONNREFUSED ${hostname}:9090`);
    const report = at.runner.worker.report();
    await wait(random.between(1, 8));
    return report;
  }

  /** Cut off, its pods go on and the API server no longer hears of them; down, they are gone. */
  fail(node: Node, state: 'cut off' | 'down', forMs: number): void {
    const { clock } = this.surroundings;
    if (node.state !== 'up') return;
    node.state = state;
    if (state === 'down') for (const runner of node.runners.values()) runner.powerOff();
    clock.after(Math.min(NOTICED_MS, forMs), () => this.#notice(node));
    clock.after(forMs, () => {
      node.state = 'up';
      for (const feed of node.feeds) feed.poke();
      for (const runner of [...node.runners.values()]) {
        if (state === 'down') runner.powerOn();
        runner.reportStatus();
      }
      // Pods may be pending because no node was left.
      this.#schedule();
    });
  }

  /** The control plane marks the node's pods as not Ready. */
  #notice(node: Node): void {
    const { server } = this.surroundings;
    if (node.state === 'up' || server.isDown) return;
    for (const pod of server.all({ kind: kinds.Pod })) {
      if (nodeOf(pod) !== node.name || !isReady(pod)) continue;
      const status = {
        ...asRecord(pod['status']),
        conditions: [{ type: 'Ready', status: 'False', reason: 'NodeLost' }],
      };
      server.replace(kinds.Pod, { ...pod, status }, 'status');
    }
  }

  #schedule(): void {
    const { server, random } = this.surroundings;
    const up = this.all.filter(({ state }) => state === 'up');
    for (const pod of server.all({ kind: kinds.Pod })) {
      if (
        nodeOf(pod) !== undefined ||
        pod.metadata.deletionTimestamp !== undefined ||
        up.length === 0
      )
        continue;
      const { name } = random.pick(up);
      server.merge(kinds.Pod, pod.metadata, { spec: { ...asRecord(pod['spec']), nodeName: name } });
    }
  }

  /** A kubelet reviews each pod periodically, even without any change. */
  #period(): void {
    this.surroundings.clock.after(PERIOD_MS, () => {
      for (const runner of this.runners) runner.sync();
      this.#period();
    });
  }
}

export type { Node };
