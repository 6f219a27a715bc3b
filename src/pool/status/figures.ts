// What is there to count about a pool?
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import type { Decision } from '../../core/decision.ts';
import { desiredStateOf } from '../desired-state.ts';
import { checkPreconditions } from '../preconditions.ts';
import type { PublishedChange } from '../publish/published.ts';
import { isSettled } from '../refresh/convergence.ts';
import { isConvergedNow, workerStatuses } from '../status.ts';
import { type PoolView, sizeOf } from '../view.ts';
import type { PoolWorld } from '../world.ts';
import { type Ownership, ownershipOf } from './owners.ts';

export type PoolCounts = {
  readonly streams: number;
  readonly unassigned: number;
  readonly desired: number;
  readonly ready: number;
  readonly converged: number;
  readonly required: number;
  readonly stuck: number;
  readonly version: number;
  readonly isConverged: boolean;
  readonly isStalled: boolean;
  readonly isPaused: boolean;
  readonly isExclusive: boolean;
};

export type PoolFigures = {
  readonly counts: PoolCounts;
  readonly ownership: Ownership;
  /** The one that is in force. */
  readonly change: PublishedChange | undefined;
};

const nobody: Ownership = { unowned: 0, doubled: new Set() };

/** With the same world and time as the decision. */
export function figuresOf(world: PoolWorld, decision: Decision, now: number): PoolFigures {
  const told = toldBy(world, decision);
  const { change } = world.published;
  const look = checkPreconditions(world);
  const isStalled = isTrue(told?.conditions, 'Stalled');
  // What is in the way is in the way of counting, too.
  if (!look.ok || world.pool.meta.isDeleting) {
    return {
      counts: { ...countsIn(told), isStalled, isExclusive: isExclusive(world) },
      ownership: nobody,
      change,
    };
  }
  const { view } = desiredStateOf(world, look, now);
  const ownership = ownershipOf(view.members, view.published);
  return {
    counts: { ...countsOf(world, view), isStalled, isExclusive: isExclusive(world) },
    ownership,
    change,
  };
}

/** As it will be, if it is to be written, and else as it is. */
export function toldBy({ pool }: PoolWorld, { steps }: Decision): SwarmPoolStatus | undefined {
  const step = steps.find((it) => it.do === 'status');
  return step === undefined ? pool.status : step.status;
}

const isExclusive = ({ pool: { spec } }: PoolWorld): boolean =>
  spec.ok && spec.value.handoff.type === 'Exclusive';

type Counted = Omit<PoolCounts, 'isStalled' | 'isExclusive'>;

const countsIn = (status: SwarmPoolStatus | undefined): Counted => ({
  streams: status?.streams?.total ?? 0,
  unassigned: status?.streams?.unassigned ?? 0,
  desired: status?.replicas ?? 0,
  ready: status?.readyReplicas ?? 0,
  converged: status?.convergedReplicas ?? 0,
  required: status?.requiredReplicas ?? 0,
  stuck: 0,
  version: status?.version ?? 0,
  isConverged: false,
  isPaused: false,
});

function countsOf(world: PoolWorld, view: PoolView): Counted {
  const counted = view.members.filter(({ isDesired }) => isDesired);
  const converged = counted.filter((member) =>
    isSettled(member, view.slices.get(member.name)),
  ).length;
  return {
    streams: view.streams,
    unassigned: view.unassigned.length,
    desired: sizeOf(view.targets),
    ready: counted.filter(({ pod }) => pod?.isReady === true).length,
    converged,
    required: view.assigned.required,
    stuck: workerStatuses(world, view).filter(({ state }) => state === 'Stuck').length,
    version: view.version,
    isConverged: isConvergedNow(view) && view.unknown.length === 0,
    isPaused: view.plan !== undefined,
  };
}
