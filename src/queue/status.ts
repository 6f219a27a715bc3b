// Which status does each queue get? It is computed anew from the observed objects.

import type { BatchJob } from '../api/batch-job.ts';
import { kinds } from '../api/kinds.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import { oneLine } from '../api/text.ts';
import type { SwarmQueue, SwarmQueueStatus } from '../api/validate.ts';
import type { Amounts } from '../core/amounts.ts';
import { type BlockedBy, blockedConditions } from '../core/blocked.ts';
import { ConditionNews, nextConditions, type Wanted } from '../core/conditions.ts';
import type { Decision, EventText, Refusal, Step } from '../core/decision.ts';
import { ownStatusSteps, paceInMs, withStatus } from '../core/own-status.ts';
import { timeText } from '../core/text.ts';
import type { DesiredQueues } from './desired-state.ts';
import { leftAloneIn, leftAloneText } from './labelled/started-by-hand.ts';
import { placedFirst } from './order/positions.ts';
import { pauseCondition, pauseEvents, whyPaused } from './pause.ts';
import { whyBlocked } from './preconditions.ts';
import { enlargedText } from './quota/enlarged.ts';
import type { HeldJob } from './quota/held.ts';
import { quantitiesOf } from './quota/text.ts';
import type { QueueReason } from './reasons.ts';
import { whyText } from './why.ts';
import type { QueueWorld, WaitingJob } from './world.ts';

const MOST_WAITING = 10;
const MOST_HELD = 20;
const conditionTypes = ['Ready', 'Reconciling', 'Stalled'] as const;

/** The statuses of all queues. Figures are written every two seconds at most. */
export function statusSteps(world: QueueWorld, desired: DesiredQueues, now: number): Decision {
  const parts = byQueue(world, desired);
  const decisions = world.queues
    .filter(({ meta }) => !meta.isDeleting)
    .map((queue) => {
      const status = statusOf(world, queue, { ...desired, ...parts(queue.meta.name) }, now);
      const ageMs = world.statusMs.get(queue.meta.name) ?? 0;
      const steps = ownStatusSteps(kinds.SwarmQueue, queue, status, eventsOf);
      return withStatus(steps, () => paceInMs(queue.status, status, newsIn, ageMs), {});
    });
  const waits = decisions.flatMap(({ requeueAfterMs: ms }) => ms ?? []);
  return {
    steps: decisions.flatMap(({ steps }) => steps),
    ...(waits.length > 0 && { requeueAfterMs: Math.min(...waits) }),
  };
}

/** The jobs of one queue. A namespace may have thousands of queues and jobs. */
type OfQueue = {
  readonly waiting: readonly WaitingJob[];
  readonly admitted: readonly LedgerEntry[];
  readonly held: readonly HeldJob[];
  readonly leftAlone: readonly BatchJob[];
};

function byQueue(
  { runs }: QueueWorld,
  { waiting, ledger, held }: DesiredQueues,
): (queue: string) => OfQueue {
  const alone = leftAloneIn(runs, ledger.entries);
  const [waits, entries, holding] = [
    Map.groupBy(waiting, ({ queue }) => queue),
    Map.groupBy(ledger.entries, ({ queue }) => queue),
    Map.groupBy(held, ({ queue }) => queue),
  ];
  return (queue) => ({
    waiting: waits.get(queue) ?? [],
    admitted: entries.get(queue) ?? [],
    held: holding.get(queue) ?? [],
    leftAlone: alone.filter((job) => job.queue === queue),
  });
}

/** Omits all figures, which are not known. */
export function statusWhenBlocked(
  queue: SwarmQueue,
  blocked: BlockedBy,
  now: number,
): readonly Step[] {
  const wanted = blockedConditions(conditionTypes, blocked);
  const status: SwarmQueueStatus = {
    observedGeneration: queue.meta.generation,
    conditions: conditionsFor(queue, wanted, now),
  };
  return ownStatusSteps(kinds.SwarmQueue, queue, status, eventsOf);
}

function statusOf(
  { refused }: QueueWorld,
  queue: SwarmQueue,
  { waiting, admitted, held, leftAlone, pass, usage, parts }: DesiredQueues & OfQueue,
  now: number,
): SwarmQueueStatus {
  const { name, generation } = queue.meta;
  const enlarged = enlargedText(admitted, (uid) => parts.get(uid)?.pods ?? []);
  const beside = leftAloneText(leftAlone);
  return {
    observedGeneration: generation,
    pending: waiting.length,
    running: admitted.length,
    usage: quantitiesOf(namedIn(queue, usage.get(name) ?? new Map())),
    ...(held.length > 0 && { held: held.slice(0, MOST_HELD).map(heldStatus) }),
    ...(waiting.length > 0 && {
      waiting: placedFirst(waiting, pass.waiting)
        .slice(0, MOST_WAITING)
        .map((job) => waitingStatus(job, pass)),
    }),
    conditions: conditionsFor(queue, queueConditions(queue, { refused, enlarged, beside }), now),
  };
}

/** Every resource that the quota names, even if none of it is in use, and all others in use. */
function namedIn({ spec }: SwarmQueue, used: Amounts): Amounts {
  const named = spec.ok ? Object.keys(spec.value.quota) : [];
  return new Map([...named.map((resource): [string, bigint] => [resource, 0n]), ...used]);
}

function waitingStatus({ uid, name }: WaitingJob, { waiting }: DesiredQueues['pass']) {
  const waits = waiting.get(uid);
  const message = waits === undefined ? '' : oneLine(whyText(waits));
  return { name, reason: waits?.reason ?? '', message };
}

export function heldStatus({ name, pods }: HeldJob) {
  const [first] = pods;
  const node = first?.node === undefined ? '' : ` on node ${first.node}`;
  return { name, pods: pods.length, message: `pod ${first?.name}${node} has not ended` };
}

type Troubles = {
  readonly refused: Refusal | undefined;
  readonly enlarged: string | undefined;
  readonly beside: string | undefined;
};

function queueConditions(
  queue: SwarmQueue,
  { refused, enlarged, beside }: Troubles,
): readonly Wanted[] {
  const blocked = whyBlocked(queue);
  if (blocked !== undefined) return blockedConditions(conditionTypes, blocked);
  if (refused !== undefined) {
    const message = `${refused.reason}: ${refused.message}`;
    return all(false, true, { reason: 'WriteRefused', message });
  }
  if (whyPaused(queue) !== undefined) {
    const message = 'no job is admitted; jobs that run go on';
    return all(false, false, { reason: 'Paused', message });
  }
  if (enlarged !== undefined)
    return all(true, false, { reason: 'PodsEnlarged', message: enlarged });
  if (beside !== undefined) return all(true, false, { reason: 'StartedByHand', message: beside });
  return all(true, false, { reason: 'Admitting', message: 'jobs are admitted as there is room' });
}

const all = (
  isReady: boolean,
  isReconciling: boolean,
  why: { readonly reason: QueueReason; readonly message: string },
): readonly Wanted[] => [
  { type: 'Ready', status: isReady ? 'True' : 'False', ...why },
  { type: 'Reconciling', status: isReconciling ? 'True' : 'False', ...why },
  { type: 'Stalled', status: 'False', ...why },
];

function conditionsFor(queue: SwarmQueue, wanted: readonly Wanted[], now: number) {
  const { meta, status } = queue;
  const all = [...wanted, pauseCondition(queue)];
  return [...nextConditions(status?.conditions, all, meta.generation, timeText(now))];
}

/** The fields that are written at once. All other fields are figures. */
const newsIn = (status: SwarmQueueStatus | undefined): readonly unknown[] => [
  status?.observedGeneration,
  status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
];

function eventsOf(
  before: SwarmQueueStatus | undefined,
  after: SwarmQueueStatus,
): readonly EventText[] {
  const news = new ConditionNews(before?.conditions, after.conditions);
  const rows = [
    news.becameAnew('Stalled') && news.event('Warning', 'Decide', 'Stalled'),
    news.changedTo('Ready', 'PodsEnlarged') && news.event('Warning', 'Decide', 'Ready'),
    news.changedTo('Ready', 'StartedByHand') && news.event('Warning', 'Decide', 'Ready'),
    news.changedTo('Reconciling', 'WriteRefused') && news.event('Warning', 'Write', 'Reconciling'),
  ];
  return [...rows.filter((row) => row !== false), ...pauseEvents(news)];
}
