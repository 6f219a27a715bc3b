// What wakes a SwarmGroup, and what does a decision about it remember?
import { type Kind, kinds } from '../api/kinds.ts';
import { type KubeObject, keyOf, type Ref, refOf } from '../api/objects.ts';
import type { Target } from '../api/observed.ts';
import { targetsOf } from '../api/pool-targets.ts';
import type { SwarmGroup } from '../api/validate.ts';
import { conditionIn } from '../core/conditions.ts';
import type { Decision, Refusal } from '../core/decision.ts';
import { inOneTurn, type Work } from '../core/work.ts';
import type { Change } from '../runtime/client/api.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Controller, Wake } from '../runtime/engine/controller.ts';
import type { MetricReadings } from '../runtime/metric-sources/readings.ts';
import type { ScaledRef, ScaleReading, ScaleReadings } from '../runtime/scales/readings.ts';
import type { Store } from '../runtime/store/store.ts';
import type { Subscription } from '../runtime/watch/subscriptions.ts';
import { decideFailed, decideGroup, type GroupDecision } from './decide.ts';
import { GroupCaches, memberKey, objectKey } from './observe/caches.ts';
import { MemberTimesNoted } from './observe/member-times.ts';
import { memberCount } from './observe/members.ts';
import { asPool, asScale, asWorkload, isSameClaim, slimPoolMember } from './observe/scalable.ts';
import { observeGroup } from './observe.ts';
import { MOST_MEMBERS } from './preconditions.ts';
import { readGroup } from './read.ts';
import { type GroupWorld, nothingRemembered, type RememberedGroup } from './world.ts';

type SwarmGroupOptions = {
  readonly clock: Clock;
  readonly store: Store;
  readonly metrics: MetricReadings;
  readonly scales: ScaleReadings;
};

export const swarmGroupController = (
  options: SwarmGroupOptions,
): Controller<GroupWorld, GroupDecision> => new SwarmGroupController(options);

class SwarmGroupController implements Controller<GroupWorld, GroupDecision> {
  readonly name = kinds.SwarmGroup.kind;
  readonly #options: SwarmGroupOptions;
  readonly #caches = new GroupCaches();
  readonly #times = new MemberTimesNoted();
  /** By key. */
  readonly #remembered = new Map<string, RememberedGroup>();
  #wake: Wake = () => undefined;

  constructor(options: SwarmGroupOptions) {
    this.#options = options;
  }

  subscriptions(wake: Wake): readonly Subscription[] {
    this.#wake = wake;
    const { workloads } = this.#options.store;
    workloads.listen({
      onWorkloads: (changed) => {
        for (const target of changed) this.#takeWorkload(target);
      },
      onAutoscalers: (autoscalers) => {
        for (const { namespace, targetGroup: group, targetKind: kind, targetName } of autoscalers)
          this.#wakeNaming(objectKey(namespace, { group, kind }, targetName));
      },
    });
    this.#options.scales.listen((ref, reading) => this.#takeScale(ref, reading));
    return [
      ...workloads.sizes,
      { kind: kinds.SwarmPool, slim: slimPoolMember, onChange: (change) => this.#takePool(change) },
      { kind: kinds.SwarmGroup, onChange: (change) => this.#takeGroup(change) },
    ];
  }

  #takeWorkload(target: Target): void {
    const { namespace, kind, name } = target;
    const groups = this.#caches.groupsOf(namespace, { kind, name }, target);
    const present = this.#options.store.workloads.get(kind, { namespace, name });
    const arrived = groups.length > 0 && present !== undefined ? asWorkload(present) : undefined;
    const key = memberKey(namespace, { kind, name });
    this.#times.take(key, arrived, this.#options.clock.monotonic());
    this.#wakeAll(groups);
    for (const group of groups) this.#wakeNeighboursAtBound(group);
    // The status of groups without members may name the label of a workload that they do not
    // select.
    this.#wakeAll(this.#caches.selectingIn(namespace).filter(saysNoMembers));
  }

  /**
   * A group with more members than the bound is blocked, and other groups may scale its members.
   */
  #wakeNeighboursAtBound(group: SwarmGroup): void {
    const count = memberCount(this.#options.store.workloads, group);
    if (count === MOST_MEMBERS || count === MOST_MEMBERS + 1)
      this.#wakeAll(this.#caches.neighboursOf(group));
  }

  #wakeAll(groups: readonly SwarmGroup[]): void {
    for (const { meta } of groups) this.#wake(keyOf(meta));
  }

  #wakeNaming(member: string): void {
    this.#wakeAll(this.#caches.groups.by('member', member));
  }

  #takeScale({ namespace, name, ...kind }: ScaledRef, reading: ScaleReading | undefined): void {
    const key = objectKey(namespace, kind, name);
    const arrived = reading?.state === 'found' ? asScale(reading) : undefined;
    this.#times.take(key, arrived, this.#options.clock.monotonic());
    this.#wakeNaming(key);
  }

  #takePool(change: Change): void {
    const { before, after } = this.#caches.pools.apply(change);
    const { namespace = '', name } = change.object.metadata;
    const key = memberKey(namespace, { kind: 'SwarmPool', name });
    this.#times.take(key, after && asPool(after), this.#options.clock.monotonic());
    this.#wakeNaming(key);
    if (isSameClaim(before, after)) return;
    // Wakes the groups whose members the pool starts or stops to scale.
    const { workloads } = this.#options.store;
    const led = [before, after].flatMap((pool) => (pool ? targetsOf(pool, workloads) : []));
    for (const target of new Set(led)) {
      const { namespace, kind, name: targetName } = target;
      this.#wakeAll(this.#caches.groupsOf(namespace, { kind, name: targetName }, target));
    }
  }

  #takeGroup(change: Change): void {
    const { before, after } = this.#caches.groups.apply(change);
    this.#wake(keyOf(change.object.metadata));
    // Another group with the same member may have to leave the member alone, or may scale it again.
    if (before?.meta.generation === after?.meta.generation) return;
    for (const group of [before, after])
      if (group !== undefined) this.#wakeAll(this.#caches.neighboursOf(group));
  }

  keys(): Iterable<string> {
    return this.#caches.groups.keys();
  }

  async observe(key: string, refused: Refusal | undefined): Promise<GroupWorld | undefined> {
    const { clock, store, metrics, scales } = this.#options;
    const group = this.#caches.groups.get(refOf(key));
    if (group === undefined) return undefined;
    const remembered = this.#remembered.get(key) ?? nothingRemembered;
    const sources = {
      clock,
      workloads: store.workloads,
      caches: this.#caches,
      times: this.#times,
      metrics,
      scales,
    };
    readGroup(sources, key, group);
    return observeGroup(sources, key, group, { remembered, refused });
  }

  decide(world: GroupWorld, now: number): Work<GroupDecision> {
    return inOneTurn(() => decideGroup(world, now));
  }

  decideFailed(key: string, refused: Refusal | undefined, now: number): Decision | undefined {
    const group = this.#caches.groups.get(refOf(key));
    return group === undefined ? undefined : decideFailed(group, refused, now);
  }

  follow(key: string, { remembered }: GroupDecision): void {
    this.#remembered.set(key, remembered);
  }

  forget(key: string): void {
    this.#remembered.delete(key);
    this.#options.metrics.release(key);
    this.#options.scales.release(key);
  }

  scaled(kind: Kind, ref: Ref, scale: KubeObject): void {
    this.#options.scales.take(kind, ref, scale);
  }

  markOutdated(kind: Kind, ref: Ref): void {
    this.#options.scales.markOutdated(kind, ref);
  }

  async close(): Promise<void> {
    this.#options.scales.stop();
    await this.#options.metrics.stop();
  }
}

const saysNoMembers = ({ status }: SwarmGroup): boolean =>
  conditionIn(status?.conditions, 'Ready')?.reason === 'NoMembers';
