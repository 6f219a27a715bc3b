// What is shown of a queue in brief?
import type { FailedJob, QueueResource, QueueSummary } from '../../../api/introspection/queues.ts';
import type { LedgerEntry } from '../../../api/ledger.ts';
import type { SwarmQueue, SwarmQueueStatus } from '../../../api/validate.ts';
import { isTrue } from '../../../core/conditions.ts';
import type { DecisionReport } from '../../../core/decision.ts';
import { memoize } from '../../../core/memoize.ts';
import { isPausedBy } from '../../../core/pause.ts';
import { parseQuantity, toNumber } from '../../../core/quantity.ts';
import type { QueueDecision } from '../../../queue/decide.ts';
import type { DesiredQueues } from '../../../queue/desired-state.ts';
import { type QuotaRow, quotaRows } from '../../../queue/quota/rows.ts';
import { isNeverStarted } from '../../../queue/reasons.ts';
import { whyText } from '../../../queue/why.ts';
import type { QueueWorld, WaitingJob } from '../../../queue/world.ts';
import { mostImportant } from '../decided.ts';
import { failedJobsIn } from './failed.ts';
import { rankStatesOf, ranksOf } from './ranks.ts';

/** Decided together with the other queues of its namespace. */
export type QueueSnapshot = Omit<DecisionReport<QueueWorld, QueueDecision>, 'tookMs'> & {
  readonly queue: SwarmQueue;
};

export const queueSummaryOf = memoize((snapshot: QueueSnapshot): QueueSummary => {
  const { world, queue, decision } = snapshot;
  const { meta, spec } = queue;
  const { desired } = decision;
  const { conditions } = statusAfter(snapshot);
  const { reason = '', message = '' } = mostImportant(conditions) ?? {};
  const entries = entriesOf(snapshot);
  const ranks = entries.map((entry) => ranksOf(rankStatesOf(world, entry), entry.size));
  const never = neverStarted(snapshot);
  const failed = failedOf(snapshot);
  return {
    namespace: meta.namespace,
    name: meta.name,
    ...(spec.ok && { strategy: spec.value.strategy }),
    quota: desired === undefined ? [] : quotaRows(desired, queue).map(resourceOf),
    admitted: entries.length,
    waiting: waitingOf(snapshot).length,
    neverStart: never.length,
    ...(never[0] !== undefined && { firstNeverStart: never[0] }),
    failed: failed.length,
    ...(failed[0] !== undefined && { lastFailed: failedText(failed[0]) }),
    ranks: entries.reduce((sum, { size }) => sum + size, 0),
    readyRanks: ranks.reduce((sum, { running, succeeded }) => sum + running + succeeded, 0),
    isReady: isTrue(conditions, 'Ready'),
    isStalled: isTrue(conditions, 'Stalled'),
    isPaused: isPausedBy(meta, spec.ok ? spec.value : undefined),
    reason,
    message,
  };
});

/** What this decision writes, and else what stands there. */
export function statusAfter({ queue, decision }: QueueSnapshot): SwarmQueueStatus {
  const { name } = queue.meta;
  const step = decision.steps.find((it) => it.do === 'status' && it.ref.name === name);
  return (step?.do === 'status' ? (step.status as SwarmQueueStatus) : queue.status) ?? {};
}

const jobsIn = memoize(({ waiting, ledger, pass }: DesiredQueues) => {
  const next = new Set(pass.admitted.map(({ uid }) => uid));
  return {
    waiting: Map.groupBy(waiting, ({ queue }) => queue),
    entries: Map.groupBy(
      ledger.entries.filter(({ uid }) => !next.has(uid)),
      ({ queue }) => queue,
    ),
  };
});

/** Those that were admitted first, first; without those that this decision admits. */
export const entriesOf = ({ decision: { desired }, queue }: QueueSnapshot) =>
  ((desired && jobsIn(desired).entries.get(queue.meta.name)) ?? []) as readonly LedgerEntry[];

export const waitingOf = ({ decision: { desired }, queue }: QueueSnapshot) =>
  ((desired && jobsIn(desired).waiting.get(queue.meta.name)) ?? []) as readonly WaitingJob[];

/** Name and reason of each. */
function neverStarted(snapshot: QueueSnapshot): readonly string[] {
  const { desired } = snapshot.decision;
  return waitingOf(snapshot).flatMap(({ uid, name }) => {
    const waits = desired?.pass.waiting.get(uid);
    return waits !== undefined && isNeverStarted(waits.reason)
      ? [`${name}: ${whyText(waits)}`]
      : [];
  });
}

export const failedOf = ({ world, queue }: QueueSnapshot): readonly FailedJob[] =>
  failedJobsIn(world).get(queue.meta.name) ?? [];

const failedText = ({ name, reason, message }: FailedJob): string =>
  `${name}: ${message === '' ? reason : message}`;

function resourceOf({ resource, quota, perUser, used, free }: QuotaRow): QueueResource {
  const forUser = perUser !== undefined && { perUser };
  if (quota === undefined) return { resource, ...forUser, used };
  const [all, part] = [quota, used].map((it) => toNumber(parseQuantity(it) ?? 0n));
  return {
    resource,
    quota,
    ...forUser,
    used,
    free,
    part: all === 0 || !all ? 0 : (part ?? 0) / all,
  };
}
