// What would move, and why? The operator's own decision on a world as it might be, told as values.
import type { Slice } from '../../api/assignment.ts';
import type { MovePlan, Share, WorkerPlan } from '../../api/introspection.ts';
import type { Unassigned } from '../assign/assign.ts';
import { type Blocked, checkPreconditions } from '../preconditions.ts';
import type { Published } from '../publish/published.ts';
import type { PoolView } from '../view.ts';
import type { PoolWorld } from '../world.ts';
import { MOST_CHANGES, netMoves, unfold } from './unfold.ts';
import { whyOf } from './why.ts';

export type PoolPlan = {
  readonly namespace: string;
  readonly pool: string;
  readonly streams: number;
  readonly capacity: number;
  readonly changes: readonly {
    readonly version: number;
    readonly reason: string;
    readonly moves: number;
  }[];
  readonly moves: readonly MovePlan[];
  /** Streams that keep their worker. */
  readonly stay: number;
  readonly workers: readonly WorkerPlan[];
  readonly unassigned: readonly Unassigned[];
  readonly required: number;
  readonly isOvercommitted: boolean;
  /** False: more would follow, once what is outstanding is confirmed. */
  readonly isComplete: boolean;
  /** What else has to be known. */
  readonly notes: readonly string[];
};

export type PlanResult =
  | { readonly ok: true; readonly plan: PoolPlan }
  | { readonly ok: false; readonly blocked: Blocked };

/** `before`: as it is now; `after`: as it is supposed. Both from the same moment. */
export function planOf(
  before: PoolWorld,
  after: PoolWorld,
  now: number,
  mostChanges = MOST_CHANGES,
): PlanResult {
  const look = checkPreconditions(after);
  if (!look.ok) return { ok: false, blocked: look.blocked };
  const { changes, first, last, isAtRest } = unfold(after, look, now, mostChanges);
  const why = whyOf({
    streams: new Map(look.streams.map((it) => [it.name, it])),
    status: before.pool.status,
    first,
    last,
  });
  const moves = netMoves(changes).map((move) => ({
    stream: move.stream,
    ...(move.from !== undefined && { from: move.from }),
    ...(move.to !== undefined && { to: move.to }),
    why: why(move),
  }));
  const { name, namespace } = after.pool.meta;
  const assigned = look.streams.length - last.assigned.unassigned.length;
  const plan: PoolPlan = {
    namespace,
    pool: name,
    streams: look.streams.length,
    capacity: look.spec.workers.capacity,
    changes: changes.map((change) => ({ ...change, moves: change.moves.length })),
    moves,
    stay: assigned - moves.filter(({ to }) => to !== undefined).length,
    workers: workerPlans(after.published, first, last),
    unassigned: last.assigned.unassigned,
    required: last.assigned.required,
    isOvercommitted: last.assigned.isOvercommitted,
    isComplete: isAtRest,
    notes: notesOf(before, after, first),
  };
  return { ok: true, plan };
}

/** In the order of the workers; those that go come last. */
function workerPlans(
  { assignment }: Published,
  first: PoolView,
  last: PoolView,
): readonly WorkerPlan[] {
  const carried = new Set(first.members.map(({ from }) => from));
  const gone = [...(assignment?.workloads ?? [])].filter(([worker]) => !carried.has(worker));
  return [
    ...first.members.map(({ name, before }) => ({
      name,
      before: shareOf(before),
      after: shareOf(last.slices.get(name)),
    })),
    ...gone.map(([name, slice]) => ({ name, before: shareOf(slice), after: undefined })),
  ];
}

function shareOf(slice: Slice | undefined): Share | undefined {
  if (slice === undefined) return undefined;
  return {
    streams: slice.jobs.length,
    load: Object.values(slice.weights ?? {}).reduce((sum, weight) => sum + weight, 0),
  };
}

function notesOf(
  before: PoolWorld,
  { targets, pods }: PoolWorld,
  first: PoolView,
): readonly string[] {
  const [target] = targets;
  const isSmaller =
    target?.kind === 'Deployment' &&
    pods.length < before.pods.length &&
    first.spec.workers.scaling === 'Follow';
  return [
    ...(first.complaint === undefined
      ? []
      : [`${first.complaint.reason}: ${first.complaint.message}`]),
    ...(first.unknown.length === 0
      ? []
      : [
          `nothing is given to anybody before ${first.unknown.join(', ')} said what is running there`,
        ]),
    ...(first.plan === undefined
      ? []
      : ['the pool is paused: nothing of this happens before it is resumed']),
    ...(isSmaller
      ? [
          'a Deployment itself chooses which pods go: that the highest slots do is supposed (scaling Lead makes it so)',
        ]
      : []),
  ];
}
