// Who gives pods to nodes where there is no scheduler? The nodes themselves: the first one by name,
// and the others when it is silent.
import type { KubeObject } from '../../api/objects.ts';
import { keyOf } from '../../api/objects.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../failure.ts';
import type { Events } from './events.ts';
import { PLAYGROUND_LABEL } from './node-object.ts';
import { type NodePod, readPod } from './pods/pod-spec.ts';
import { isSaid, timestamp } from './pods/status.ts';
import type { NodeApi } from './requests.ts';
import { place, readCandidate } from './schedule.ts';

/** How long a pod waits for each node that stands before ours: then that one seems to be gone. */
const PATIENCE_MS = 1_000;

export type SchedulerOptions = {
  readonly nodeName: string;
  readonly nodeApi: NodeApi;
  readonly events: Events;
  readonly clock: Clock;
  readonly onTrouble: (message: string) => void;
};

/**
 * Only one request per pod is under way at a time; two nodes that race are told apart by the API
 * server (409).
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #nodes = new Map<string, KubeObject>();
  /** Pods that have not ended, by key: where they are, or undefined. */
  readonly #pods = new Map<
    string,
    {
      readonly node: string | undefined;
      readonly pending: NodePod | undefined;
      readonly since: number;
    }
  >();
  readonly #assumed = new Map<string, string>();
  #timer = (): void => undefined;
  #isBusy = false;
  #isStale = false;
  #isStopped = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  onNode(type: 'ADDED' | 'MODIFIED' | 'DELETED', node: KubeObject): void {
    const before = this.#nodes.get(node.metadata.name);
    if (type === 'DELETED') this.#nodes.delete(node.metadata.name);
    else this.#nodes.set(node.metadata.name, node);
    // Heartbeats change nothing that a pod could be waiting for.
    if (type === 'DELETED' || before === undefined || seenOf(before) !== seenOf(node)) this.#wake();
  }

  onPod(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const key = keyOf(object.metadata);
    const pod = readPod(object);
    const { nodeName, schedulerName, schedulingGates = [] } = pod.spec;
    const before = this.#pods.get(key);
    const phase = phaseOf(object);
    if (type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed') this.#pods.delete(key);
    else {
      const isPending =
        nodeName === undefined &&
        pod.deletionGraceSeconds === undefined &&
        schedulingGates.length === 0 &&
        schedulerName === 'default-scheduler';
      const since = before?.since ?? this.#options.clock.monotonic();
      this.#pods.set(key, { node: nodeName, pending: isPending ? pod : undefined, since });
    }
    if (nodeName !== undefined || type === 'DELETED') this.#assumed.delete(key);
    const after = this.#pods.get(key);
    if (after?.pending !== undefined || before?.node !== after?.node) this.#wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer();
  }

  #wake(): void {
    this.#isStale = true;
    if (!this.#isBusy && !this.#isStopped) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    this.#timer();
    while (this.#isStale && !this.#isStopped) {
      this.#isStale = false;
      await this.#pass();
    }
    this.#isBusy = false;
  }

  async #pass(): Promise<void> {
    const { clock, nodeName } = this.#options;
    const ready = this.#candidates().filter(
      ({ isReady, labels }) => isReady && labels[PLAYGROUND_LABEL] === 'true',
    );
    const rank = ready
      .map(({ name }) => name)
      .sort()
      .indexOf(nodeName);
    if (rank < 0) return;
    let soonest = Number.POSITIVE_INFINITY;
    for (const [key, { pending, since }] of [...this.#pods]) {
      if (pending === undefined || this.#assumed.has(key)) continue;
      const dueIn = since + rank * PATIENCE_MS - clock.monotonic();
      if (dueIn <= 0) await this.#schedule(key, pending);
      else soonest = Math.min(soonest, dueIn);
    }
    if (soonest < Number.POSITIVE_INFINITY) this.#timer = clock.after(soonest, () => this.#wake());
  }

  async #schedule(key: string, pod: NodePod): Promise<void> {
    const { nodeApi, events, clock, onTrouble } = this.#options;
    const placement = place(pod, this.#candidates());
    try {
      if (!placement.fits) return await this.#sayUnschedulable(pod, placement.message);
      this.#assumed.set(key, placement.node);
      await nodeApi.bind(pod.ref, placement.node);
      events.for(pod.ref)(
        'Normal',
        'Scheduled',
        `Successfully assigned ${key} to ${placement.node}`,
      );
    } catch (error) {
      this.#assumed.delete(key);
      // Another node was faster, or the pod is gone: the watch tells.
      if (hasCode(error, 'Conflict', 'NotFound', 'Stale')) return;
      onTrouble(`cannot schedule ${key}: ${messageOf(error)}`);
      this.#timer = clock.after(PATIENCE_MS, () => this.#wake());
    }
  }

  async #sayUnschedulable(pod: NodePod, message: string): Promise<void> {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    if (isSaid(pod.object['status'], { conditions: [condition] })) return;
    const { nodeApi, events, clock } = this.#options;
    await nodeApi.patchStatus(pod.ref, {
      conditions: [
        { ...condition, lastProbeTime: null, lastTransitionTime: timestamp(clock.now()) },
      ],
    });
    events.for(pod.ref)('Warning', 'FailedScheduling', message);
  }

  #candidates() {
    const counts = new Map<string, number>();
    const places = [...this.#pods].map(([key, { node }]) => node ?? this.#assumed.get(key));
    for (const place of places)
      if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
    return [...this.#nodes.values()].map((node) =>
      readCandidate(node, counts.get(node.metadata.name) ?? 0),
    );
  }
}

const seenOf = (node: KubeObject): string => JSON.stringify(readCandidate(node, 0));

function phaseOf(object: KubeObject): unknown {
  const status = object['status'];
  return typeof status === 'object' && status !== null && 'phase' in status
    ? status.phase
    : undefined;
}
