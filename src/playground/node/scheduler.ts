// Binds pods to nodes: the first ready node by name schedules, the next one if it does not act.
import { dig, type KubeObject, keyOf } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import { timeText } from '../../core/text.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { Alarm } from './alarm.ts';
import type { NodeContext } from './context.ts';
import { PLAYGROUND_LABEL } from './node-object.ts';
import { type NodePod, readPod } from './pods/pod-spec.ts';
import { isWritten } from './pods/status.ts';
import { type Candidate, place, readCandidate } from './schedule.ts';

/** How long this node leaves a new pod to each of the nodes that come before it by name. */
const TURN_MS = 1_000;

type Options = Pick<NodeContext, 'nodeName' | 'nodeApi' | 'events' | 'clock' | 'onTrouble'>;

type KnownPod = {
  readonly node: string | undefined;
  /** Set while the pod waits for a node. */
  readonly pending: NodePod | undefined;
  readonly since: number;
};

/** Has one request per pod under way; when two nodes race, the API server refuses one (409). */
export class Scheduler {
  readonly #options: Options;
  readonly #alarm: Alarm;
  readonly #nodes = new Map<string, KubeObject>();
  /** Pods that have not ended, by key. */
  readonly #pods = new Map<string, KnownPod>();
  /** Nodes of pods that were bound, until the watch confirms it. */
  readonly #assumed = new Map<string, string>();
  #isStopped = false;

  constructor(options: Options) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
  }

  onNode(type: 'ADDED' | 'MODIFIED' | 'DELETED', node: KubeObject): void {
    const before = this.#nodes.get(node.metadata.name);
    if (type === 'DELETED') this.#nodes.delete(node.metadata.name);
    else this.#nodes.set(node.metadata.name, node);
    // A heartbeat alone makes no pod fit.
    if (type === 'DELETED' || before === undefined || fitOf(before) !== fitOf(node))
      this.#alarm.ring();
  }

  onPod(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const key = keyOf(object.metadata);
    const pod = readPod(object);
    const { nodeName, schedulerName, schedulingGates = [] } = pod.spec;
    const before = this.#pods.get(key);
    const phase = dig(object, 'status', 'phase');
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
    if (after?.pending !== undefined || before?.node !== after?.node) this.#alarm.ring();
  }

  /** Never throws; resolves when it was stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#scheduleDue();
      await this.#alarm.wait();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#alarm.ring();
  }

  async #scheduleDue(): Promise<void> {
    const { clock, nodeName } = this.#options;
    const rank = this.#candidates()
      .filter(({ isReady, labels }) => isReady && labels[PLAYGROUND_LABEL] === 'true')
      .map(({ name }) => name)
      .sort()
      .indexOf(nodeName);
    if (rank < 0) return;
    for (const [key, { pending, since }] of [...this.#pods]) {
      if (pending === undefined || this.#assumed.has(key)) continue;
      const dueIn = since + rank * TURN_MS - clock.monotonic();
      if (dueIn <= 0) await this.#schedule(key, pending);
      else this.#alarm.ringAfter(dueIn);
    }
  }

  async #schedule(key: string, pod: NodePod): Promise<void> {
    const { nodeApi, events, onTrouble } = this.#options;
    const placement = place(pod, this.#candidates());
    try {
      if (!placement.fits) return await this.#reportUnschedulable(pod, placement.message);
      this.#assumed.set(key, placement.node);
      await nodeApi.bind(pod.ref, placement.node);
      const note = `Successfully assigned ${key} to ${placement.node}`;
      events.for(pod.ref)('Normal', 'Scheduled', note);
    } catch (error) {
      this.#assumed.delete(key);
      // Another node was faster, or the pod is gone.
      if (hasCode(error, 'Conflict', 'NotFound', 'Stale')) return;
      onTrouble(`cannot schedule ${key}: ${errorText(error)}`);
      this.#alarm.ringAfter(TURN_MS);
    }
  }

  async #reportUnschedulable(pod: NodePod, message: string): Promise<void> {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    if (isWritten(pod.object['status'], { conditions: [condition] })) return;
    const { nodeApi, events, clock } = this.#options;
    const times = { lastProbeTime: null, lastTransitionTime: timeText(clock.now()) };
    await nodeApi.patchStatus(pod.ref, { conditions: [{ ...condition, ...times }] });
    events.for(pod.ref)('Warning', 'FailedScheduling', message);
  }

  #candidates(): readonly Candidate[] {
    const taken = [...this.#pods].map(([key, { node }]) => node ?? this.#assumed.get(key));
    const byNode = Map.groupBy(taken, (node) => node);
    return [...this.#nodes.values()].map((node) =>
      readCandidate(node, byNode.get(node.metadata.name)?.length ?? 0),
    );
  }
}

/** Changes only when other pods may fit than before. */
const fitOf = (node: KubeObject): string => JSON.stringify(readCandidate(node, 0));
