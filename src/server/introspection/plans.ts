// What would another number of workers change? The operator's own decision on a supposed world; it
// is not carried out.
import type { Plan } from '../../api/introspection.ts';
import { memoize } from '../../core/memoize.ts';
import { timeText } from '../../core/text.ts';
import { planOf } from '../../pool/plan/plan.ts';
import { suppose } from '../../pool/plan/suppose.ts';
import { type Blocked, checkPreconditions } from '../../pool/preconditions.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { firstOf } from './page.ts';
import type { PoolSnapshot } from './pools.ts';

const MOST_WORKERS = 1_000;
/**
 * The leader renews its Lease in the same thread: a plan gets as much time as a few decisions take.
 * The more streams a pool has, the fewer changes are planned; too many are not planned here at all.
 */
const MOST_CHANGES = 100;
const MOST_STREAMS_IN_CHANGES = 100_000;
const MOST_STREAMS = 30_000;

/** A text says what is wrong with the query. */
export function workersIn(query: URLSearchParams): number | string {
  const text = query.get('workers') ?? '';
  const isAllowed = /^\d{1,4}$/.test(text) && Number(text) <= MOST_WORKERS;
  return isAllowed
    ? Number(text)
    : `workers is "${text.slice(0, 100)}"; allowed is a whole number from 0 to ${MOST_WORKERS}`;
}

/** By the number of workers: a slider comes back to the same ones. */
const plansOf = memoize((_: PoolSnapshot) => new Map<number, Plan | string>());

/** A text says why there is no plan. */
export function planFor(snapshot: PoolSnapshot, workers: number): Plan | string {
  const plans = plansOf(snapshot);
  const planned = plans.get(workers) ?? makePlan(snapshot, workers);
  plans.set(workers, planned);
  return planned;
}

function makePlan({ world, now }: PoolSnapshot, workers: number): Plan | string {
  const after = suppose(world, { workers, add: [], remove: [] });
  if (typeof after === 'string') return after;
  const checked = checkPreconditions(after);
  if (!checked.ok) return blockedText(checked.blocked);
  const { length } = checked.streams;
  if (length > MOST_STREAMS) return tooMany(world, length, workers);
  const mostChanges = Math.min(
    MOST_CHANGES,
    Math.floor(MOST_STREAMS_IN_CHANGES / Math.max(1, length)),
  );
  const plan = planOf({ before: world, after, checked, now, mostChanges });
  const { streams, capacity, moves, stay, required, isOvercommitted, isComplete, notes } = plan;
  return {
    asOf: timeText(now),
    now: world.targets.reduce((sum, { replicas }) => sum + replicas, 0),
    supposed: workers,
    streams,
    capacity,
    changes: plan.changes.length,
    workers: firstOf(plan.workers, MOST_WORKERS),
    moves: firstOf(moves),
    moved: moves.filter(({ from, to }) => from !== undefined && to !== undefined).length,
    started: moves.filter(({ from }) => from === undefined).length,
    ended: moves.filter(({ to }) => to === undefined).length,
    stay,
    unassigned: firstOf(
      plan.unassigned.map(({ name, reason, message }) => ({ name, reason, message })),
    ),
    required,
    isOvercommitted,
    isComplete,
    notes,
  };
}

const tooMany = ({ pool: { meta } }: PoolWorld, streams: number, workers: number): string =>
  `the operator makes no plan for more than ${MOST_STREAMS} streams (the pool has ${streams}), because it would block other work; run ` +
  `swarmctl -n ${meta.namespace} plan ${meta.name} --workers ${workers}`;

export const blockedText = ({ reason, message }: Blocked): string =>
  `the operator cannot decide: ${reason}: ${message}`;
