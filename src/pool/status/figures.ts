// Which figures describe a pool?
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import type { Decision } from '../../core/decision.ts';
import type { PoolDecision } from '../decision.ts';
import type { DesiredState } from '../desired-state.ts';
import type { PublishedChange } from '../publish/notes.ts';
import { isSettled } from '../refresh/convergence.ts';
import { isConvergedNow, workerStatuses } from '../status.ts';
import { sizeOf } from '../targets.ts';
import type { PoolWorld } from '../world.ts';
import { type Ownership, ownershipOf } from './owners.ts';

type PoolCounts = {
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
  /** The last published one. */
  readonly change: PublishedChange | undefined;
};

const nobody: Ownership = { unowned: 0, doubled: new Set() };

export function figuresOf(world: PoolWorld, decision: PoolDecision): PoolFigures {
  const { basis } = decision;
  const told = toldBy(world, decision);
  const { change } = world.published;
  const isStalled = isTrue(told?.conditions, 'Stalled');
  // A blocked pool cannot be counted anew: its status tells.
  if (basis?.ok !== true || world.pool.meta.isDeleting) {
    return {
      counts: { ...countsIn(told), isStalled, isExclusive: isExclusive(world) },
      ownership: nobody,
      change,
    };
  }
  const { desired } = basis;
  return {
    counts: { ...countsOf(world, desired), isStalled, isExclusive: isExclusive(world) },
    ownership: ownershipOf(desired.members, world.published),
    change,
  };
}

/** As this decision writes it, or as it is. */
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

function countsOf(world: PoolWorld, desired: DesiredState): Counted {
  const counted = desired.members.filter(({ isDesired }) => isDesired);
  const converged = counted.filter((member) =>
    isSettled(member, desired.slices.get(member.name)),
  ).length;
  return {
    streams: desired.streams.length,
    unassigned: desired.unassigned.length,
    desired: sizeOf(desired.targets),
    ready: counted.filter(({ pod }) => pod?.isReady === true).length,
    converged,
    required: desired.assigned.required,
    stuck: workerStatuses(world, desired).filter(({ state }) => state === 'Stuck').length,
    version: desired.version,
    isConverged: isConvergedNow(desired) && desired.unknown.length === 0,
    isPaused: desired.plan !== undefined,
  };
}
