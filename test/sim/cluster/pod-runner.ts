// What does a kubelet do with one pod? It starts it after a while, mounts its files, probes it,
// restarts it, and ends it within its grace period.
import type { Slice } from '../../../src/api/assignment.ts';
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseTarget } from '../../../src/api/observed.ts';
import type { Surroundings } from './actor.ts';
import { isTerminating } from './facts.ts';
import type { Ledger } from './ledger.ts';
import { SimWorker } from './worker.ts';

const shardFile = /^config.*\.yml$/;

export type NodeServices = Surroundings & {
  readonly ledger: Ledger;
  readonly isAiling: (stream: string, pod: string) => boolean;
  readonly takeAddress: () => string;
  readonly giveAddress: (ip: string) => void;
  /** What this node knows of a ConfigMap; it may be old. */
  readonly configMap: (namespace: string, name: string) => KubeObject | undefined;
  readonly onSpawn: (pod: KubeObject, stream: string, slice: Slice, wasItsOwn: boolean) => void;
  readonly onContainer: (uid: string) => void;
  readonly isConnected: () => boolean;
  readonly isPowered: () => boolean;
  readonly onEnd: (runner: PodRunner) => void;
};

type Phase = 'Starting' | 'Running' | 'Ending' | 'Ended';

export class PodRunner {
  /** As the node last saw it. */
  pod: KubeObject;
  ip: string | undefined;
  worker: SimWorker | undefined;
  phase: Phase = 'Starting';
  #isReady = false;
  #told = '';
  readonly #node: NodeServices;

  constructor(node: NodeServices, pod: KubeObject) {
    this.#node = node;
    this.pod = pod;
    const { clock, random } = node;
    clock.after(random.between(30, 300), () => this.#startFirst());
  }

  #startFirst(): void {
    if (this.phase !== 'Starting' || !this.#node.isPowered()) return;
    this.ip = this.#node.takeAddress();
    this.#startContainer();
  }

  /** The pod has changed: its files are updated from what the node knows of them by then. */
  see(pod: KubeObject): void {
    const { clock, random } = this.#node;
    this.pod = pod;
    // The pod ended by itself before its deletion.
    if (this.phase === 'Ended') this.reportStatus();
    else if (isTerminating(pod)) this.#terminate();
    else if (this.phase === 'Running') {
      clock.after(random.between(10, 80), () => this.#mount());
    }
  }

  /** The kubelet's periodic sync. */
  sync(): void {
    this.#mount();
  }

  /** Deleted from the API by force. */
  forced(): void {
    this.#node.clock.after(this.#node.random.between(20, 400), () => this.#end());
  }

  crash(): void {
    const { worker } = this;
    if (worker === undefined || this.phase !== 'Running') return;
    worker.kill();
    this.#probe(20);
    this.#node.clock.after(this.#node.random.between(200, 900), () => {
      if (this.worker === worker && this.phase === 'Running' && this.#node.isPowered())
        this.#startContainer();
    });
  }

  /**
   * The node lost power: its pods are gone at once; the kubelet catches up when the node is back.
   */
  powerOff(): void {
    this.worker?.kill();
    this.#isReady = false;
  }

  powerOn(): void {
    if (this.phase === 'Ending') this.#end();
    if (this.phase === 'Starting') this.#startFirst();
    if (this.phase === 'Running') this.#startContainer();
  }

  /** Reports the pod's status to the API server, again if need be. */
  reportStatus(): void {
    if (!this.#node.isConnected()) return;
    const { server, clock } = this.#node;
    const { namespace = '', name, uid } = this.pod.metadata;
    const present = server.find(kinds.Pod, { namespace, name });
    // After a restoration the pod may be bound to another node: a kubelet reports only pods of its
    // own node.
    if (
      present === undefined ||
      present.metadata.uid !== uid ||
      nodeOf(present) !== nodeOf(this.pod)
    ) {
      if (this.phase === 'Ended') this.#node.onEnd(this);
      return;
    }
    if (server.isDown) {
      clock.after(300, () => this.reportStatus());
      return;
    }
    const status = {
      phase: this.phase === 'Ended' ? 'Succeeded' : this.ip === undefined ? 'Pending' : 'Running',
      conditions: [
        { type: 'Ready', status: this.#isReady && this.phase === 'Running' ? 'True' : 'False' },
      ],
      ...(this.ip !== undefined && { podIP: this.ip }),
    };
    const text = JSON.stringify(status);
    const isNews = text !== this.#told || JSON.stringify(present['status']) !== text;
    this.#told = text;
    if (isNews)
      server.replace(
        kinds.Pod,
        { ...present, metadata: { ...present.metadata }, status },
        'status',
      );
    if (this.phase !== 'Ended' || !isTerminating(present)) return;
    server.remove(kinds.Pod, { namespace, name }, { uid: uid ?? '' }, 0);
    this.#node.onEnd(this);
  }

  #startContainer(): void {
    const { clock, random, ledger, isAiling, onSpawn } = this.#node;
    const { name, uid = '' } = this.pod.metadata;
    this.phase = 'Running';
    const args = JSON.stringify(dig(this.pod, 'spec', 'containers') ?? []);
    this.#node.onContainer(uid);
    const worker = new SimWorker({
      name,
      uid,
      isFenced: args.includes('--assigned-file'),
      onExit: args.includes('complete') ? 'complete' : 'restart',
      isSlow: args.includes('--slow'),
      readsOnce: args.includes('--once'),
      clock,
      random,
      ledger,
      isAiling,
      onDrained: () => this.#node.clock.after(random.between(5, 60), () => this.#end()),
      onSpawn: (stream, slice, wasItsOwn) => onSpawn(this.pod, stream, slice, wasItsOwn),
    });
    this.worker = worker;
    this.reportStatus();
    clock.after(random.between(20, 200), () => {
      if (this.worker !== worker || this.phase !== 'Running' || !worker.isServing) return;
      this.#mount();
      this.#probe(random.between(20, 300));
    });
  }

  #probe(inMs: number): void {
    this.#node.clock.after(inMs, () => {
      this.#isReady = this.worker?.isHealthy === true;
      this.reportStatus();
    });
  }

  /** Two volumes, one after the other. */
  #mount(): void {
    const { worker } = this;
    const { clock, random, configMap } = this.#node;
    if (worker === undefined || this.phase !== 'Running') return;
    const { namespace = '', annotations } = this.pod.metadata;
    const names = parseTarget('StatefulSet')({
      ...this.pod,
      spec: { template: { spec: this.pod['spec'] } },
    }).mountedConfigMaps;
    const texts = new Map<string, string>();
    for (const name of names) {
      for (const [file, text] of Object.entries(
        (configMap(namespace, name)?.['data'] as Record<string, unknown> | undefined) ?? {},
      )) {
        if (shardFile.test(file) && typeof text === 'string') texts.set(file, text);
      }
    }
    const steps = [
      () => worker.mount(texts),
      () => worker.annotate(annotations?.[ASSIGNED_ANNOTATION]),
    ];
    if (random.chance(0.5)) steps.reverse();
    for (const [index, step] of steps.entries())
      clock.after(random.between(1, 10) * (index + 1), step);
  }

  #terminate(): void {
    if (this.phase === 'Ending' || this.phase === 'Ended') return;
    const { clock } = this.#node;
    const wasRunning = this.phase === 'Running' && this.worker !== undefined;
    this.phase = 'Ending';
    if (!wasRunning) {
      this.#end();
      return;
    }
    const graceMs =
      (asNumber(dig(this.pod, 'metadata', 'deletionGracePeriodSeconds')) ?? 30) * 1000;
    this.worker?.shutDown();
    this.reportStatus();
    clock.after(graceMs, () => this.#end());
  }

  #end(): void {
    if (this.phase === 'Ended') return;
    this.phase = 'Ended';
    this.worker?.kill();
    this.#node.clock.after(this.#node.random.between(5, 60), () => {
      if (this.ip !== undefined) this.#node.giveAddress(this.ip);
      this.reportStatus();
    });
  }
}

export const nodeOf = (pod: KubeObject): string | undefined =>
  asString(dig(pod, 'spec', 'nodeName'));
