// What does a HorizontalPodAutoscaler of the group do? It computes as the real one does
// (pkg/controller/podautoscaler): horizontal.go and replica_calculator.go.
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { Surroundings } from '../cluster/actor.ts';
import type { Audit } from './audit.ts';
import { groupAutoscalerRef, groupRef } from './manifests.ts';
import { matches, selectorIn } from './oracle/selector.ts';
import type { PlainWorkloads } from './plain-workloads.ts';

/** Fifteen seconds on a real cluster, whose time-outs are as much longer. */
const SYNC_MS = 1_000;
/** Five minutes: `behavior.scaleDown.stabilizationWindowSeconds`. */
const STABILIZATION_MS = 6_000;
const TOLERANCE = 0.1;
const SCALE_UP_FACTOR = 2;
const SCALE_UP_LEAST = 4;

const isWithinTolerance = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE;

type Asked = {
  readonly isOn: boolean;
  readonly metric: string;
  readonly target: number;
  readonly least: number;
  readonly most: number;
};

type World = {
  readonly surroundings: Surroundings;
  readonly workloads: PlainWorkloads;
  readonly audit: Audit;
};

export class GroupAutoscaler {
  readonly #in: World;
  #isOn = false;
  #load = 10;
  /** When its load or its object changed, or another writer set a size. */
  changedAt = 0;
  #size: number | undefined;
  /** Why it does not scale, as its condition ScalingActive would say. */
  problem: string | undefined;
  #recommendations: { readonly at: number; readonly replicas: number }[] = [];

  constructor(world: World) {
    this.#in = world;
    world.surroundings.server.onChange(kinds.HorizontalPodAutoscaler, () => {
      this.changedAt = world.surroundings.clock.monotonic();
      this.#start();
    });
    world.surroundings.server.onChange(kinds.SwarmGroup, () => this.#noteSize());
  }

  #noteSize(): void {
    const { server, clock } = this.#in.surroundings;
    const size = asNumber(dig(server.find(kinds.SwarmGroup, groupRef), 'spec', 'replicas'));
    if (size !== this.#size) this.changedAt = clock.monotonic();
    this.#size = size;
  }

  /** In units of the metric: what all of the group carries together. */
  get load(): number {
    return this.#load;
  }

  set load(load: number) {
    this.#load = load;
    this.changedAt = this.#in.surroundings.clock.monotonic();
  }

  /** What its object says. */
  get asked(): Asked {
    const object = this.#object();
    const [metric] = asList(dig(object, 'spec', 'metrics'));
    return {
      isOn: object !== undefined,
      metric: asString(dig(metric, 'type')) ?? '',
      target: asNumber(dig(metric, 'target')) ?? 1,
      least: asNumber(dig(object, 'spec', 'minReplicas')) ?? 1,
      most: asNumber(dig(object, 'spec', 'maxReplicas')) ?? 1,
    };
  }

  #start(): void {
    if (this.#isOn || this.#object() === undefined) return;
    this.#isOn = true;
    this.#recommendations = [];
    this.#next();
  }

  #next(): void {
    this.#in.surroundings.clock.after(SYNC_MS, () => {
      const object = this.#object();
      this.#isOn = object !== undefined;
      if (object === undefined) return;
      if (!this.#in.surroundings.server.isDown) this.#sync();
      this.#next();
    });
  }

  #object(): KubeObject | undefined {
    return this.#in.surroundings.server.find(kinds.HorizontalPodAutoscaler, groupAutoscalerRef);
  }

  #sync(): void {
    const { server } = this.#in.surroundings;
    const group = server.find(kinds.SwarmGroup, groupRef);
    const current = asNumber(dig(group, 'spec', 'replicas'));
    const { least, most } = this.asked;
    // At 0 it is off.
    if (group === undefined || current === undefined || current === 0) return;
    const bounded = Math.max(least, Math.min(most, current));
    const wanted = bounded === current ? this.#computed(group, current) : bounded;
    if (wanted === undefined) return;
    const limit = Math.max(SCALE_UP_FACTOR * current, SCALE_UP_LEAST);
    const replicas = Math.max(least, Math.min(most, limit, this.#stabilized(wanted, current)));
    if (replicas === current) return;
    this.#size = replicas;
    try {
      this.#in.audit.byOther(() =>
        server.merge(kinds.SwarmGroup, groupRef, { spec: { replicas } }),
      );
    } catch (error) {
      // Another policy decides: its condition AbleToScale says so.
      if (!(error instanceof KubeError)) throw error;
      this.#size = current;
    }
  }

  /** The largest of what was computed lately: it goes down only when all agree. */
  #stabilized(wanted: number, current: number): number {
    const at = this.#in.surroundings.clock.monotonic();
    const recent = this.#recommendations.filter((it) => at - it.at < STABILIZATION_MS);
    const first = recent.length === 0 ? [{ at, replicas: current }] : recent;
    this.#recommendations = [...first, { at, replicas: wanted }];
    return Math.max(...this.#recommendations.map(({ replicas }) => replicas));
  }

  /** Undefined: it cannot, and leaves the group as it is. */
  #computed(group: KubeObject, current: number): number | undefined {
    const selector = selectorIn(asString(dig(group, 'status', 'selector')));
    this.problem = selector === undefined ? 'selector is required' : undefined;
    if (selector === undefined) return undefined;
    const { metric, target } = this.asked;
    if (metric === 'AverageValue') {
      const told = asNumber(dig(group, 'status', 'replicas')) ?? 0;
      return isWithinTolerance(this.load / (target * told)) ? told : Math.ceil(this.load / target);
    }
    const found = this.#in.workloads.ready((labels) => matches(selector, labels));
    if (found.pods === 0) {
      this.problem = 'no pods returned by selector while calculating replica count';
      return undefined;
    }
    // Each member carries all of the load, with all of its pods.
    const usage =
      metric === 'Utilization'
        ? (this.load * found.workloads) / found.pods
        : this.load / this.#units(group);
    const ratio = usage / target;
    return isWithinTolerance(ratio) ? current : Math.ceil(ratio * found.pods);
  }

  /** The size that the first member can carry now. */
  #units(group: KubeObject): number {
    const [first] = asList(dig(group, 'spec', 'members'));
    const { pods } = this.#in.workloads.ready(
      (labels) => dig(labels, 'app') === dig(first, 'name'),
    );
    return Math.max(1, pods / Number(dig(first, 'ratio') ?? 1));
  }
}
