// Which seats for workers does a pool have, and which pod is in each?
import { type Assigned, type Assignment, readAssigned, unboundSlot } from '../../api/assignment.ts';
import { MOST_WORKERS } from '../../api/bounds.ts';
import type { Pod, Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { memoize } from '../../core/memoize.ts';
import type { PoolWorld } from '../world.ts';
import { mostWanted, ordinalOf, scalesTarget } from './size.ts';

export type Seat = {
  /** Outlives pods: the pod's name in a StatefulSet, the slot of a Deployment. */
  readonly key: string;
  /** The worker's name in the assignment: the name of its pod, or of an unbound slot. */
  readonly name: string;
  readonly ordinal: number;
  /** For a Deployment: the number of the slot. */
  readonly slot?: number;
  /** The target should have this worker. */
  readonly isDesired: boolean;
  /** Its pod no longer belongs to a target or has lost its slot, and may still run streams. */
  readonly isFormer: boolean;
  readonly pod: Pod | undefined;
  /** The worker's key in the last assignment. */
  readonly from: string;
};

/** A pool that scales its target drains surplus workers before it scales down. */
const sizeFor = (wanted: number | undefined, { replicas }: Target): number =>
  Math.min(wanted ?? replicas, replicas);

/**
 * The number of wanted workers or existing pods, if it exceeds the limit. Twice as many pods are
 * allowed, since a terminating pod and its successor exist at the same time.
 */
export function tooManyWorkers(
  { pods, formerPods, autoscaler }: PoolWorld,
  spec: SwarmPoolSpec,
  targets: readonly Target[],
): number | undefined {
  const most = scalesTarget(spec, autoscaler) ? mostWanted(spec) : undefined;
  const wanted = targets.reduce((sum, target) => sum + sizeFor(most, target), 0);
  if (wanted > MOST_WORKERS) return wanted;
  const present = pods.length + formerPods.length;
  return present > 2 * MOST_WORKERS ? present : undefined;
}

/**
 * Empty if there are too many: the pool is then blocked. `wanted` is the size that the pool wants.
 */
export function seatsOf(
  world: PoolWorld,
  spec: SwarmPoolSpec,
  targets: readonly Target[],
  wanted: number | undefined,
): readonly Seat[] {
  if (tooManyWorkers(world, spec, targets) !== undefined) return [];
  const { pods, formerPods, published, autoscaler } = world;
  const isLeading = scalesTarget(spec, autoscaler);
  const sizes = targets.map((target) => sizeFor(wanted, target));
  const living = formerPods.filter(({ hasEnded }) => !hasEnded);
  // Without a target, the pods are workers of another pool.
  const kind = targets[0]?.kind;
  const seats =
    kind === 'Deployment'
      ? slotSeats(
          sizes.reduce((sum, size) => sum + size, 0),
          pods,
          withoutWorkers(published.assignment, new Set(living.map(({ name }) => name))),
          !isLeading,
        )
      : kind === 'StatefulSet'
        ? namedSeats(targets, sizes, pods, living)
        : [];
  // If the assignment was lost, pods of a Deployment without a slot may still run streams.
  const slotless =
    kind === 'Deployment' && spec.probe.type === 'HTTPGet'
      ? pods.filter((pod) => !isOver(pod) && assignedTo(pod) !== undefined)
      : [];
  const others = [...living, ...slotless];
  if (others.length === 0) return seats;
  const taken = new Set(seats.map(({ name }) => name));
  return [...seats, ...others.filter(({ name }) => !taken.has(name)).map(formerSeat)];
}

const noteOf = memoize((pod: Pod) => ({ assigned: readAssigned(pod.assigned) }));

/** The pod's annotation, whichever pod it names: parsed once for each version of the pod. */
export const notedOn = (pod: Pod | undefined): Assigned | undefined =>
  pod?.assigned === undefined ? undefined : noteOf(pod).assigned;

/** The annotation of this very pod; an annotation that names another pod does not count. */
export function assignedTo(pod: Pod | undefined): Assigned | undefined {
  const assigned = notedOn(pod);
  return assigned?.uid === pod?.uid ? assigned : undefined;
}

const formerSeat = (pod: Pod): Seat => ({
  key: `former ${pod.name}`,
  name: pod.name,
  ordinal: ordinalOf(pod.name),
  isDesired: false,
  isFormer: true,
  pod,
  from: pod.name,
});

/** A slot continues from a pod that is gone, not from a living pod of another target. */
const withoutWorkers = (
  assignment: Assignment | undefined,
  names: ReadonlySet<string>,
): Assignment | undefined =>
  assignment === undefined || names.size === 0
    ? assignment
    : {
        ...assignment,
        workloads: new Map([...assignment.workloads].filter(([worker]) => !names.has(worker))),
      };

/**
 * In ordinal order: every pod that the StatefulSets should have, and every other one that still
 * lives. A pod of a StatefulSet that was deleted and created again is the same worker: while it
 * lives, no other pod can have its name.
 */
function namedSeats(
  targets: readonly Target[],
  sizes: readonly number[],
  pods: readonly Pod[],
  formerPods: readonly Pod[],
): readonly Seat[] {
  const [only, ...more] = targets;
  const desired =
    only !== undefined && more.length === 0
      ? namesIn(only, sizes[0] ?? 0)
      : new Map(targets.flatMap((target, at) => [...namesIn(target, sizes[at] ?? 0)]));
  const podByName = new Map<string, Pod>();
  for (const pod of formerPods) if (desired.has(pod.name)) podByName.set(pod.name, pod);
  for (const pod of pods) podByName.set(pod.name, pod);
  const seatOf = (name: string, ordinal: number, isDesired: boolean): Seat => ({
    key: name,
    name,
    ordinal,
    isDesired,
    isFormer: false,
    pod: podByName.get(name),
    from: name,
  });
  const seats: Seat[] = [];
  for (const [name, ordinal] of desired) seats.push(seatOf(name, ordinal, true));
  const others: string[] = [];
  for (const name of podByName.keys()) if (!desired.has(name)) others.push(name);
  for (const name of others.sort(byOrdinal)) seats.push(seatOf(name, ordinalOf(name), false));
  return seats;
}

/** Ordinals by name. */
type Named = ReadonlyMap<string, number>;

const named = memoize((_: Target) => new Map<number, Named>());

/** The first pods of a StatefulSet, which may want far more pods than a pool can have. */
function namesIn(target: Target, size: number): Named {
  const known = named(target).get(size);
  if (known !== undefined) return known;
  const { name, firstOrdinal } = target;
  const names = new Map(
    Array.from(
      { length: size },
      (_, index) => [`${name}-${firstOrdinal + index}`, firstOrdinal + index] as const,
    ),
  );
  // Kept for one size: the pool's own size may change while the target stays.
  named(target).clear();
  named(target).set(size, names);
  return names;
}

type Bound = { readonly slot: number; readonly pod: Pod; readonly hasJobs: boolean };

/**
 * A slot keeps its pod until that pod runs nothing any more; then an idle Ready pod takes it.
 * `keepsSurplus`: when a Deployment shrinks, the ReplicaSet chooses the pods to delete; no worker
 * is drained before, and pods without a slot move into free ones.
 */
function slotSeats(
  count: number,
  pods: readonly Pod[],
  previous: Assignment | undefined,
  keepsSurplus: boolean,
): readonly Seat[] {
  const living = new Map(pods.filter((pod) => !isOver(pod)).map((pod) => [pod.name, pod]));
  const bound: Bound[] = [];
  const vacated = new Map<number, string>();
  for (const [name, { slot, jobs }] of previous?.workloads ?? []) {
    const pod = living.get(name);
    if (slot === undefined) continue;
    if (pod === undefined) vacated.set(slot, name);
    else bound.push({ slot, pod, hasJobs: jobs.length > 0 });
  }
  const seated = new Map<number, Bound>();
  for (const it of bound) if (it.slot < count && !seated.has(it.slot)) seated.set(it.slot, it);
  const surplus = bound.filter((it) => seated.get(it.slot) !== it).sort((a, b) => a.slot - b.slot);
  const movable = surplus.filter(({ pod }) => !pod.isTerminating);
  const boundNames = new Set(bound.map(({ pod }) => pod.name));
  const idle = [...living.values()]
    .filter((pod) => pod.isReady && !pod.isTerminating && !boundNames.has(pod.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const seats = Array.from({ length: count }, (_, slot): Seat => {
    const present = seated.get(slot);
    if (present !== undefined) return seatOf(slot, present.pod, present.pod.name);
    const left = vacated.get(slot) ?? unboundSlot(slot);
    const moved = movable.shift();
    if (moved !== undefined) return seatOf(slot, moved.pod, moved.hasJobs ? moved.pod.name : left);
    return seatOf(slot, idle.shift(), left);
  });
  const placed = new Set(seats.map(({ name }) => name));
  const others = surplus
    .filter(({ pod }) => !placed.has(pod.name))
    .map(({ slot, pod }) => ({
      ...seatOf(slot, pod, pod.name),
      isDesired: keepsSurplus && !pod.isTerminating,
    }));
  return [...seats, ...others];
}

const seatOf = (slot: number, pod: Pod | undefined, from: string): Seat => ({
  key: unboundSlot(slot),
  name: pod?.name ?? unboundSlot(slot),
  ordinal: slot,
  slot,
  isDesired: true,
  isFormer: false,
  pod,
  from,
});

/** Its containers have ended, or it is terminating on a node that no longer reports. */
const isOver = (pod: Pod): boolean => pod.hasEnded || (pod.isTerminating && !pod.isReady);

const byOrdinal = (a: string, b: string): number => ordinalOf(a) - ordinalOf(b) || (a < b ? -1 : 1);
