// Which waiting jobs may start now, and why does each of the others wait? All jobs of a namespace
// are looked at in every pass: no verdict outlives what it was based on.
import { keptFor } from '../core/kept.ts';
import { inOrder } from './order/in-order.ts';
import { type Lack, type Need, needFor, Room } from './order/room.ts';
import { amountOf } from './quota/amounts.ts';
import { totalOf, whyNever } from './quota/never.ts';
import { usageOf } from './quota/usage.ts';
import type { RoomReason } from './reasons.ts';
import type { Waits } from './why.ts';
import type { NamespaceWorld, Queue, WaitingJob } from './world.ts';

export type Admission = {
  /** In order. */
  readonly admitted: readonly WaitingJob[];
  /** By UID. */
  readonly waiting: ReadonlyMap<string, Waits>;
};

/** No queue or ResourceQuota can have such a name. */
const LEDGER = '(ledger)';
const boundOfQueue = (name: string): string => `SwarmQueue ${name}`;
const boundOfResourceQuota = (name: string): string => `ResourceQuota ${name}`;

export function admit(world: NamespaceWorld): Admission {
  const queues = new Map(world.queues.map((queue) => [queue.name, queue]));
  const room = roomOf(world);
  /** Queues in which a job waits for room: others may start only beside it. */
  const isBlocked = new Set<string>();
  const admitted: WaitingJob[] = [];
  const waiting = new Map<string, Waits>();
  for (const job of inOrder(world.waiting)) {
    const queue = queues.get(job.queue);
    const why = whyNever(job, queue, world.resourceQuotas) ?? whyNotYet(job, queue);
    if (why !== undefined) {
      waiting.set(job.uid, why);
      continue;
    }
    const needs = needsOf(job);
    const waits = whyNoRoom(room.lacks(needs)) ?? whyBehind(room.keeper(needs));
    if (waits === undefined) {
      room.take(needs);
      admitted.push(job);
      continue;
    }
    waiting.set(job.uid, waits);
    // What comes behind the first may pass the others, but with StrictFIFO.
    if (!isBlocked.has(job.queue) || queue?.strategy === 'StrictFIFO') room.keep(needs, job.name);
    isBlocked.add(job.queue);
  }
  return { admitted, waiting };
}

function roomOf(world: NamespaceWorld): Room {
  const room = new Room();
  const usage = usageOf(world);
  for (const { name, quota } of world.queues) {
    const used = usage.get(name) ?? new Map();
    for (const [resource, amount] of quota)
      room.open(boundOfQueue(name), resource, amount - amountOf(used, resource));
  }
  for (const { name, hard, used, promised } of world.resourceQuotas)
    for (const [resource, amount] of hard) {
      const free = amount - amountOf(used, resource) - amountOf(promised, resource);
      room.open(boundOfResourceQuota(name), resource, free);
    }
  room.open(LEDGER, 'bytes', BigInt(world.ledgerBytes));
  return room;
}

/** Of its queue first, as what is lacked there is told first. */
const needsOf = keptFor((job: WaitingJob): readonly Need[] =>
  [
    ...[...totalOf(job)].map(([resource, amount]) =>
      needFor(boundOfQueue(job.queue), resource, amount),
    ),
    ...[...job.charges].flatMap(([name, charges]) =>
      [...charges].map(([resource, amount]) =>
        needFor(boundOfResourceQuota(name), resource, amount),
      ),
    ),
    needFor(LEDGER, 'bytes', BigInt(job.entryBytes)),
  ].filter(({ amount }) => amount > 0n),
);

function whyNotYet({ backsOffForMs }: WaitingJob, queue: Queue | undefined): Waits | undefined {
  if (queue?.isPaused)
    return { reason: 'QueuePaused', message: `SwarmQueue ${queue.name} is paused` };
  if (backsOffForMs <= 0) return undefined;
  const seconds = Math.ceil(backsOffForMs / 1000);
  return { reason: 'BackingOff', message: `its last attempt failed; the next is in ${seconds} s` };
}

function whyNoRoom(lacks: readonly Lack[] | undefined): Waits | undefined {
  if (lacks === undefined) return undefined;
  return { reason: roomReasonOf(lacks[0]?.bound ?? ''), lacks };
}

function roomReasonOf(bound: string): RoomReason {
  if (bound === LEDGER) return 'LedgerFull';
  return bound.startsWith('ResourceQuota ') ? 'ResourceQuotaLacks' : 'WaitingForQuota';
}

const whyBehind = (head: string | undefined): Waits | undefined =>
  head === undefined ? undefined : { reason: 'BehindHead', head };
