// Which steps write the status of a pool, now or later, and which events follow from what is new?
import { kinds } from '../../api/kinds.ts';
import { replicasOf } from '../../api/observed.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { type Condition, isTrue } from '../../core/conditions.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import { ownEventStep, ownStatusSteps } from '../../core/own-status.ts';
import type { DesiredState } from '../desired-state.ts';
import type { EventReason } from '../reasons.ts';
import { isAtWork, isVerified } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

type OfPool = Pick<PoolWorld, 'pool'>;

export const statusSteps = ({ pool }: OfPool, status: SwarmPoolStatus): readonly Step[] =>
  ownStatusSteps(kinds.SwarmPool, pool, status, statusEvents);

export const eventStep = ({ pool }: OfPool, event: EventText): Step =>
  ownEventStep(kinds.SwarmPool, pool.meta, event);

function statusEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const became = (type: string): boolean =>
    isTrue(after.conditions, type) && !isTrue(before?.conditions, type);
  const isNow = (reason: EventReason, type = 'Reconciling'): boolean =>
    conditionOf(after, type)?.reason === reason && conditionOf(before, type)?.reason !== reason;
  const event = (
    type: EventText['type'],
    action: string,
    condition: string,
    reason?: EventReason,
  ): EventText => {
    const found = conditionOf(after, condition);
    return { type, action, reason: reason ?? found?.reason ?? '', message: found?.message ?? '' };
  };
  const rows: readonly (EventText | false)[] = [
    became('Converged') && event('Normal', 'Verify', 'Converged', 'Converged'),
    became('Stalled') && event('Warning', 'Decide', 'Stalled'),
    became('ProbeUnreachable') &&
      event('Warning', 'Verify', 'ProbeUnreachable', 'ProbeUnreachable'),
    isNow('WriteRefused') && event('Warning', 'Write', 'Reconciling', 'WriteRefused'),
    isNow('NotMounted', 'Mounted') &&
      conditionOf(after, 'Mounted')?.status === 'False' &&
      event('Warning', 'Verify', 'Mounted'),
    isNow('PodsNotReady') && event('Warning', 'Verify', 'Reconciling'),
    isNow('TargetNotFound') && event('Warning', 'Decide', 'Reconciling'),
    isNow('StreamsNotFound') && event('Warning', 'Decide', 'Reconciling'),
    isNow('WorkersStuck') && event('Warning', 'Refresh', 'Reconciling', 'WorkersStuck'),
  ];
  return rows.filter((row) => row !== false);
}

const conditionOf = (status: SwarmPoolStatus | undefined, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** A change that all workers confirm within this time needs one status write instead of two. */
const SETTLE_MS = 2_000;
/** Between two status writes that show only progress. */
const PACE_MS = 2_000;
/** A probe has succeeded or failed by then. */
const PROBE_MS = 10_000;

export const isStatusOverdue = ({ ages }: PoolWorld): boolean => ages.statusLagMs >= SETTLE_MS;

/** Conditions at once, progress every two seconds. */
export function statusNow(
  world: PoolWorld,
  desired: DesiredState,
  status: SwarmPoolStatus,
): { readonly steps: readonly Step[]; readonly nextInMs: number | undefined } {
  const { ages, pool } = world;
  const steps = statusSteps(world, status);
  if (steps.length === 0) return { steps, nextInMs: undefined };
  const settleInMs = isSettling(world, desired)
    ? settleMs(world, desired) - (ages.statusLagMs > 0 ? ages.statusLagMs : ages.publishedMs)
    : 0;
  const paceInMs = isOnlyProgress(pool.status, status) ? PACE_MS - ages.statusMs : 0;
  const nextInMs = Math.max(settleInMs, paceInMs);
  if (nextInMs <= 0) return { steps, nextInMs: undefined };
  return { steps: [], nextInMs: nextInMs === Infinity ? undefined : nextInMs };
}

/** The conditions stay, of the same version and spec. */
function isOnlyProgress(before: SwarmPoolStatus | undefined, after: SwarmPoolStatus): boolean {
  const shown = (status: SwarmPoolStatus | undefined): readonly unknown[] => [
    status?.observedGeneration,
    status?.version,
    status?.replicas,
    status?.streams,
    status?.plan,
    status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
  ];
  return isSameJson(shown(before), shown(after));
}

/**
 * In the first moments of a change only the progress is new. Never delayed: the first status,
 * another number of workers (a wait for Converged must not see the old one), a refusal.
 */
function isSettling(
  { pool: { status }, refused }: PoolWorld,
  { workers, slices, targets }: DesiredState,
): boolean {
  if (refused !== undefined || status?.replicas !== replicasOf(targets)) return false;
  return status.version !== undefined && !isVerified(workers, slices);
}

/**
 * A new leader keeps the status until it has probed all workers, which takes minutes for 100,000:
 * most have long confirmed.
 */
function settleMs({ pool, unprobed }: PoolWorld, { workers, version }: DesiredState): number {
  const unanswered = workers.flatMap(({ isDesired, isProbed, pod, answer }) =>
    isDesired && isProbed && pod !== undefined && isAtWork(pod) && answer === undefined
      ? [pod.uid]
      : [],
  );
  if (unanswered.length === 0 || pool.status?.version !== version) return SETTLE_MS;
  return unanswered.some((uid) => unprobed.has(uid)) ? Infinity : PROBE_MS;
}
