// How many workers should the target have?
import { placedIn } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { largestGroup, lastPinned, workersForWeights } from '../assign/problem/demand.ts';
import type { AssignStream } from '../assign/problem/problem.ts';
import { tableOf } from '../assign/problem/table.ts';
import { streamsOf } from '../streams/join.ts';
import { streamsToRun } from '../streams/removal.ts';
import type { Need, PoolWorld } from '../world.ts';

export type PoolSize = {
  /** Undefined: the size of the target counts. */
  readonly wanted: number | undefined;
  /** Scaling Auto: the needs within the delay, the largest first. */
  readonly needs: readonly Need[];
  /** The time until the largest need no longer counts. */
  readonly nextInMs: number | undefined;
};

/** While an autoscaler scales the target, the pool does not. */
export const scalesTarget = ({ workers }: SwarmPoolSpec, autoscaler: string | undefined): boolean =>
  workers.scaling !== 'Follow' && autoscaler === undefined;

/** The largest size that the pool would give its target; undefined: no limit. */
export const mostWanted = ({ workers }: SwarmPoolSpec): number | undefined =>
  workers.scaling === 'Auto' ? workers.maxReplicas : workers.replicas;

const asTargetSays: PoolSize = { wanted: undefined, needs: [], nextInMs: undefined };

type SizeInput = Pick<
  PoolWorld,
  'pool' | 'targets' | 'autoscaler' | 'lists' | 'published' | 'remembered' | 'monotonicMs'
>;

export function sizeWanted(world: SizeInput): PoolSize {
  const { pool, targets, autoscaler } = world;
  const [target, ...others] = targets;
  if (!pool.spec.ok || target === undefined || others.length > 0) return asTargetSays;
  const spec = pool.spec.value;
  if (!scalesTarget(spec, autoscaler)) return asTargetSays;
  if (spec.workers.scaling === 'Lead') return { ...asTargetSays, wanted: spec.workers.replicas };
  const list = streamsOf(spec, world.lists);
  // While a list has an error, the last valid streams stay in force.
  const streams = list.ok ? streamsToRun(world, spec, list.streams) : undefined;
  const needed =
    streams === undefined
      ? target.replicas
      : replicasFor(asKept(streams, spec, world, target), spec, target.firstOrdinal);
  return damped(world, spec, needed, target.replicas);
}

/**
 * A stream with an error that no number of workers can solve needs the worker that keeps it, while
 * that worker exists (see assign/keep.ts).
 */
function asKept(
  streams: readonly AssignStream[],
  { overcommit, workers: { capacity, maxReplicas = 0, cordoned = [] } }: SwarmPoolSpec,
  { published: { assignment } }: SizeInput,
  { firstOrdinal, replicas }: Target,
): readonly AssignStream[] {
  const isMistaken = ({ weight, ordinal = firstOrdinal }: AssignStream): boolean =>
    (weight > capacity && overcommit === 'Deny') ||
    ordinal < firstOrdinal ||
    ordinal >= firstOrdinal + maxReplicas;
  const mistaken = new Set(streams.filter(isMistaken));
  if (mistaken.size === 0 || assignment === undefined) return streams;
  const assigned = new Map(
    [...assignment.workloads].flatMap(([worker, slice]) => {
      const ordinal = slice.slot ?? ordinalOf(worker);
      const isThere = ordinal >= firstOrdinal && ordinal < firstOrdinal + replicas;
      if (!isThere || cordoned.includes(ordinal)) return [];
      return placedIn(slice).map((name) => {
        const weight = Math.min(own(slice.weights, name) ?? 0, capacity);
        return [name, { weight, ordinal }] as const;
      });
    }),
  );
  return streams.map((stream) =>
    mistaken.has(stream) ? { ...stream, ...assigned.get(stream.name) } : stream,
  );
}

/**
 * Up at once; down to the largest need within the delay. For a new leader, the current size counts
 * as needed so far.
 */
function damped(
  { remembered: { needs: earlier }, monotonicMs: now }: SizeInput,
  { workers }: SwarmPoolSpec,
  needed: number,
  present: number,
): PoolSize {
  const delayMs = workers.scaleDownDelaySeconds * 1000;
  const last = earlier.at(-1) ?? { replicas: present };
  const before = [...earlier.slice(0, -1), { ...last, untilMs: now }];
  const needs = [
    ...before.filter(({ replicas, untilMs }) => replicas > needed && now - untilMs < delayMs),
    { replicas: needed, untilMs: now },
  ];
  const [largest = { replicas: needed, untilMs: now }] = needs;
  const { minReplicas = 1, maxReplicas = minReplicas } = workers;
  return {
    wanted: Math.min(Math.max(largest.replicas, minReplicas), maxReplicas),
    needs,
    nextInMs: needs.length > 1 ? largest.untilMs + delayMs - now : undefined,
  };
}

/** Enough workers for all weights, pins and spread groups, besides the cordoned ones. */
export function replicasFor(
  streams: readonly AssignStream[],
  { overcommit, workers: { capacity, cordoned = [] } }: SwarmPoolSpec,
  firstOrdinal: number,
): number {
  const table = tableOf(streams);
  const usable = Math.max(
    workersForWeights(table, capacity, overcommit === 'Allow'),
    largestGroup(table),
  );
  const cordonedAmong = (replicas: number): number =>
    cordoned.filter((ordinal) => ordinal >= firstOrdinal && ordinal < firstOrdinal + replicas)
      .length;
  let replicas = Math.max(usable, lastPinned(table) - firstOrdinal + 1);
  for (;;) {
    const lacking = usable + cordonedAmong(replicas) - replicas;
    if (lacking <= 0) return replicas;
    replicas += lacking;
  }
}

export function ordinalOf(name: string): number {
  const ordinal = Number(name.slice(name.lastIndexOf('-') + 1));
  return Number.isInteger(ordinal) ? ordinal : Number.MAX_SAFE_INTEGER;
}
