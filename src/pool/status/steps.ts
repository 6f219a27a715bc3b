// Which steps write the status of a pool, now or later, and which events follow from what is new?
import { kinds } from '../../api/kinds.ts';
import { replicasOf } from '../../api/observed.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { type Condition, isTrue } from '../../core/conditions.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import { ownEventStep, ownStatusSteps } from '../../core/own-status.ts';
import { listed } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { EventReason } from '../reasons.ts';
import { isAtWork, isVerified } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { keptEvents } from './kept.ts';
import { placementEvents } from './placement-events.ts';
import type { FailingStream } from './stream-health.ts';

type OfPool = Pick<PoolWorld, 'pool'>;

export function statusSteps({ pool }: OfPool, status: SwarmPoolStatus): readonly Step[] {
  // A stream that ends for ever changes its figures each time: they alone are not written.
  const isNews = !isSameJson(pool.status, withNotedFigures(pool.status, status));
  return isNews ? ownStatusSteps(kinds.SwarmPool, pool, status, statusEvents) : [];
}

/** Of those that fail where they failed before. */
function withNotedFigures(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): SwarmPoolStatus {
  if (after.failing === undefined) return after;
  const noted = new Map(before?.failing?.map((it) => [failureKey(it), it]));
  return { ...after, failing: after.failing.map((it) => noted.get(failureKey(it)) ?? it) };
}

const failureKey = ({ name, worker, state }: FailingStream): string =>
  JSON.stringify([name, worker, state]);

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
    became('Complete') && event('Normal', 'Verify', 'Complete', 'Completed'),
    (became('Stalled') || isNow('LargeRemoval', 'Stalled')) &&
      event('Warning', 'Decide', 'Stalled'),
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
  return [
    ...rows.filter((row) => row !== false),
    ...placementEvents(before, after),
    ...keptEvents(before, after),
    ...failureEvents(before, after),
  ];
}

/** How many of those that began to fail an event names. */
const NAMED = 3;

function failureEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const known = new Set(before?.failing?.map(({ name }) => name));
  const begun = (after.failing ?? []).filter(({ name }) => !known.has(name));
  const total = after.streams?.failing ?? 0;
  const [first] = begun;
  if (first !== undefined) {
    const names = begun.map(({ name, worker }) => `${name} at ${worker}`);
    const message = `${listed(names, NAMED)} ${begun.length === 1 ? 'fails' : 'fail'}${whyOf(first, begun.length === 1)}`;
    return [{ type: 'Warning', action: 'Verify', reason: 'StreamsFailing', message }];
  }
  const isOver = isTrue(after.conditions, 'StreamsHealthy') && known.size > 0 && total === 0;
  const message = `${listed([...known])} ${known.size === 1 ? 'fails' : 'fail'} no more`;
  return isOver ? [{ type: 'Normal', action: 'Verify', reason: 'StreamsRecovered', message }] : [];
}

const conditionOf = (status: SwarmPoolStatus | undefined, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

function whyOf({ name, message }: FailingStream, isOnly: boolean): string {
  if (message === undefined) return '';
  return isOnly ? `: ${message}` : `; ${name}: ${message}`;
}

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
    [status?.streams?.total, status?.streams?.assigned, status?.streams?.unassigned],
    status?.plan,
    status?.conditions
      ?.filter(({ type }) => type !== 'StreamsHealthy')
      .map(({ type, status: is, reason }) => [type, is, reason]),
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
