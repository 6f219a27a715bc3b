// What would move, and why? The operator's own decision on a supposed world.
import type { Slice } from '../../api/assignment.ts';
import type { MovePlan, Share, WorkerPlan } from '../../api/introspection.ts';
import type { KeptStream } from '../assign/keep.ts';
import type { Unassigned } from '../assign/result.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Validated } from '../preconditions.ts';
import { keptSummary } from '../status/events.ts';
import { measureAvailability } from '../workers/availability.ts';
import { loadOf } from '../workers/workers.ts';
import type { PoolWorld, Published } from '../world.ts';
import { netMoves, unfold } from './unfold.ts';
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
  readonly stay: number;
  readonly workers: readonly WorkerPlan[];
  readonly unassigned: readonly Unassigned[];
  /** At their worker in spite of a mistake. */
  readonly kept: readonly KeptStream[];
  readonly required: number;
  readonly isOvercommitted: boolean;
  /** False: more moves would follow once workers have confirmed these. */
  readonly isComplete: boolean;
  readonly notes: readonly string[];
};

type PlanInput = {
  /** As it is now. `after`: as it is supposed, of the same moment. */
  readonly before: PoolWorld;
  readonly after: PoolWorld;
  /** Of the supposed world. */
  readonly checked: Validated;
  readonly now: number;
  readonly mostChanges?: number;
};

export function planOf({ before, after, checked, now, mostChanges }: PlanInput): PoolPlan {
  const { presence } = measureAvailability(before).availability;
  const { changes, first, last, isAtRest } = unfold(after, checked, presence, now, mostChanges);
  const { pool } = before;
  const why = whyOf({ pool, published: after.published }, checked.streams, first, last);
  const moves = netMoves(changes).map((move) => {
    const { reason: _, ...streamMove } = move;
    return { ...streamMove, why: why(move) };
  });
  const { name, namespace } = after.pool.meta;
  const assigned = checked.streams.length - last.assigned.unassigned.length;
  return {
    namespace,
    pool: name,
    streams: checked.streams.length,
    capacity: checked.spec.workers.capacity,
    changes: changes.map((change) => ({ ...change, moves: change.moves.length })),
    moves,
    stay: assigned - moves.filter(({ to }) => to !== undefined).length,
    workers: workerPlans(after.published, first, last),
    unassigned: last.assigned.unassigned,
    kept: last.assigned.kept,
    required: last.assigned.enough,
    isOvercommitted: last.assigned.isOvercommitted,
    isComplete: isAtRest,
    notes: notesOf(before, after, first, last),
  };
}

/** In the order of the workers; those that would go come last. */
function workerPlans(
  { assignment }: Published,
  first: DesiredState,
  last: DesiredState,
): readonly WorkerPlan[] {
  const carried = new Set(first.workers.map(({ from }) => from));
  const gone = [...(assignment?.workloads ?? [])].filter(([worker]) => !carried.has(worker));
  return [
    ...first.workers.map(({ name, before }) => ({
      name,
      before: shareOf(before),
      after: shareOf(last.slices.get(name)),
    })),
    ...gone.map(([name, slice]) => ({ name, before: shareOf(slice), after: undefined })),
  ];
}

const shareOf = (slice: Slice | undefined): Share | undefined =>
  slice === undefined ? undefined : { streams: slice.jobs.length, load: loadOf(slice) };

function notesOf(
  before: PoolWorld,
  { targets, pods }: PoolWorld,
  first: DesiredState,
  { assigned: { kept } }: DesiredState,
): readonly string[] {
  const [target] = targets;
  const isSmaller =
    target?.kind === 'Deployment' &&
    pods.length < before.pods.length &&
    first.spec.workers.scaling === 'Follow';
  const { list, removal } = first.blockedParts;
  const notes = [
    list !== undefined && `${list.reason}: ${list.message}`,
    removal !== undefined && `${removal.reason}: ${removal.message}`,
    kept.length > 0 && keptSummary(kept),
    first.unknown.length > 0 &&
      `assignments are on hold until ${first.unknown.join(', ')} has reported its streams`,
    first.isPaused && 'the pool is paused: none of this happens until it is resumed',
    isSmaller &&
      'a Deployment itself chooses which pods to delete; this assumes those in the highest slots (scaling Lead ensures it)',
  ];
  return notes.filter((note) => note !== false);
}
