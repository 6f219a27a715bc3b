// Which figures describe a pool?
import { replicasOf } from '../../api/observed.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import type { Decision } from '../../core/decision.ts';
import { desiredIn, type PoolDecision } from '../decide.ts';
import type { DesiredState } from '../desired-state.ts';
import { isConvergedNow } from '../status.ts';
import { isSettled } from '../workers/workers.ts';
import type { PoolWorld, PublishedChange } from '../world.ts';
import { type Ownership, ownershipOf } from './owners.ts';
import { type WorkerStatus, workerStatuses } from './worker-state.ts';

type PoolCounts = {
  /** Undefined: the list cannot be read. */
  readonly streams: number | undefined;
  readonly unassigned: number;
  /** Undefined: no worker reports stream states. */
  readonly failing: number | undefined;
  readonly completed: number | undefined;
  readonly suspended: number;
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
  /** The last published change. */
  readonly change: PublishedChange | undefined;
};

export function figuresOf(world: PoolWorld, decision: PoolDecision): PoolFigures {
  const { pool, published } = world;
  const status = statusAfter(world, decision);
  const desired = pool.meta.isDeleting ? undefined : desiredIn(decision);
  // A blocked pool cannot be counted: its figures come from its status.
  const counted = desired === undefined ? countsIn(status) : countsOf(world, desired);
  return {
    counts: {
      ...counted,
      failing: status?.streams?.failing,
      completed: status?.streams?.completed,
      suspended: status?.streams?.suspended ?? 0,
      isStalled: isTrue(status?.conditions, 'Stalled'),
      isExclusive: pool.spec.ok && pool.spec.value.handoff.type === 'Exclusive',
    },
    ownership:
      desired === undefined
        ? { unowned: 0, doubled: new Set() }
        : ownershipOf(desired.workers, published),
    change: published.change,
  };
}

/** The status that this decision writes, or the current one. */
export function statusAfter({ pool }: PoolWorld, { steps }: Decision): SwarmPoolStatus | undefined {
  const step = steps.find((it) => it.do === 'status');
  return step === undefined ? pool.status : step.status;
}

type Counted = Omit<
  PoolCounts,
  'failing' | 'completed' | 'suspended' | 'isStalled' | 'isExclusive'
>;

const countsIn = (status: SwarmPoolStatus | undefined): Counted => ({
  streams: status?.streams?.total,
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
  const counted = desired.workers.filter(({ isDesired }) => isDesired);
  const settled = counted.filter((worker) => isSettled(worker, desired.slices.get(worker.name)));
  const isConverged = isConvergedNow(desired);
  const isStuck = ({ state }: WorkerStatus): boolean => state === 'Stuck';
  return {
    streams: desired.streams.length,
    unassigned: desired.unassigned.length,
    desired: replicasOf(desired.targets),
    ready: counted.filter(({ pod }) => pod?.isReady === true).length,
    converged: settled.length,
    required: desired.assigned.required,
    stuck: isConverged ? 0 : workerStatuses(world, desired).filter(isStuck).length,
    version: desired.version,
    isConverged: isConverged && desired.unknown.length === 0,
    isPaused: desired.isPaused,
  };
}
