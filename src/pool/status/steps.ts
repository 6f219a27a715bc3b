// Which steps write the status of a pool, now or later, and which events follow from what is new?
import { kinds } from '../../api/kinds.ts';
import { replicasOf } from '../../api/observed.ts';
import type { SwarmPool, SwarmPoolStatus } from '../../api/validate.ts';
import { ConditionNews, conditionIn, isTrue } from '../../core/conditions.ts';
import type { Decision, EventText, Step } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import {
  type DueStatus,
  ownEventStep,
  ownStatusSteps,
  paceInMs,
  withStatus,
} from '../../core/own-status.ts';
import { listed } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { EventReason } from '../reasons.ts';
import { isAtWork, isVerified } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { keptEvents } from './kept.ts';
import { placementEvents } from './placement-events.ts';
import type { FailingStream } from './stream-health.ts';

type OfPool = Pick<PoolWorld, 'pool'>;

export type PoolStatus = DueStatus<SwarmPoolStatus>;

/** Status comes first: a refusal of a later step must not keep it from being written. */
export const statusThen = (
  pool: SwarmPool,
  { says, dueInMs }: PoolStatus,
  { steps: after, requeueAfterMs }: Decision,
): Decision => withStatus(statusSteps(pool, says), dueInMs, { after, requeueAfterMs });

function statusSteps(pool: SwarmPool, status: SwarmPoolStatus): readonly Step[] {
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
  const news = new ConditionNews(before?.conditions, after.conditions);
  const isNow = (reason: EventReason, type = 'Reconciling'): boolean =>
    news.changedTo(type, reason);
  const event = (
    type: EventText['type'],
    action: string,
    condition: string,
    reason?: EventReason,
  ): EventText => news.event(type, action, condition, reason);
  const rows: readonly (EventText | false)[] = [
    news.became('Converged') && event('Normal', 'Verify', 'Converged', 'Converged'),
    news.became('Complete') && event('Normal', 'Verify', 'Complete', 'Completed'),
    (news.became('Stalled') || isNow('LargeRemoval', 'Stalled')) &&
      event('Warning', 'Decide', 'Stalled'),
    news.became('ProbeUnreachable') &&
      event('Warning', 'Verify', 'ProbeUnreachable', 'ProbeUnreachable'),
    isNow('WriteRefused') && event('Warning', 'Write', 'Reconciling', 'WriteRefused'),
    isNow('NotMounted', 'Mounted') &&
      conditionIn(after.conditions, 'Mounted')?.status === 'False' &&
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
    const message = `${listed(names, NAMED)} ${begun.length === 1 ? 'is' : 'are'} failing${whyOf(first, begun.length === 1)}`;
    return [{ type: 'Warning', action: 'Verify', reason: 'StreamsFailing', message }];
  }
  const isOver = isTrue(after.conditions, 'StreamsHealthy') && known.size > 0 && total === 0;
  const message = `${listed([...known])} ${known.size === 1 ? 'is' : 'are'} no longer failing`;
  return isOver ? [{ type: 'Normal', action: 'Verify', reason: 'StreamsRecovered', message }] : [];
}

function whyOf({ name, message }: FailingStream, isOnly: boolean): string {
  if (message === undefined) return '';
  return isOnly ? `: ${message}` : `; ${name}: ${message}`;
}

/** A change that all workers confirm within this time needs one status write instead of two. */
const SETTLE_MS = 2_000;
/** A probe has succeeded or failed by then. */
const PROBE_MS = 10_000;

export const isStatusOverdue = ({ ages }: PoolWorld): boolean => ages.statusLagMs >= SETTLE_MS;

/** Conditions at once, progress every two seconds. */
export function atPace(
  world: PoolWorld,
  desired: DesiredState,
  status: SwarmPoolStatus,
): PoolStatus {
  const { ages, pool } = world;
  return {
    says: status,
    dueInMs: () =>
      Math.max(settlesInMs(world, desired), paceInMs(pool.status, status, newsIn, ages.statusMs)),
  };
}

function settlesInMs(world: PoolWorld, desired: DesiredState): number {
  if (!isSettling(world, desired)) return 0;
  const { statusLagMs, publishedMs } = world.ages;
  return settleMs(world, desired) - (statusLagMs > 0 ? statusLagMs : publishedMs);
}

/** All else is only progress: the conditions stay, of the same version and spec. */
const newsIn = (status: SwarmPoolStatus | undefined): readonly unknown[] => [
  status?.observedGeneration,
  status?.version,
  status?.replicas,
  [status?.streams?.total, status?.streams?.assigned, status?.streams?.unassigned],
  status?.plan,
  status?.conditions
    ?.filter(({ type }) => type !== 'StreamsHealthy')
    .map(({ type, status: is, reason }) => [type, is, reason]),
];

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
