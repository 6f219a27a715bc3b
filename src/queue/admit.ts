// Which waiting jobs may start now, and why does each of the others wait? All jobs of a namespace
// are looked at in every pass: no verdict outlives what it was based on.

import { amountOf } from '../core/amounts.ts';
import { memoize } from '../core/memoize.ts';
import { inOrder } from './order/in-order.ts';
import { type Demand, demandFor, type Lack, Room } from './order/room.ts';
import { largerThanResourceQuota, totalOf, whyNeverIn } from './quota/never.ts';
import { usageOf } from './quota/usage.ts';
import type { RoomReason } from './reasons.ts';
import type { Waits } from './why.ts';
import type { NamespaceWorld, Queue, WaitingJob } from './world.ts';

export type AdmissionPass = {
  /** All jobs that waited, in the order in which they go. */
  readonly order: readonly WaitingJob[];
  /** In the same order. */
  readonly admitted: readonly WaitingJob[];
  /** Why each of the others waits, by UID. */
  readonly waiting: ReadonlyMap<string, Waits>;
};

/** No queue or ResourceQuota can have this name. */
export const LEDGER = '(ledger)';
export const boundOfQueue = (name: string): string => `SwarmQueue ${name}`;
export const boundOfResourceQuota = (name: string): string => `ResourceQuota ${name}`;

export function admit(world: NamespaceWorld): AdmissionPass {
  const queues = new Map(
    world.queues.map((queue) => [queue.name, { queue, read: readerOf(queue) }]),
  );
  const room = roomOf(world);
  /** Queues in which a job waits for room: a later job may take nothing that is kept for it. */
  const isBlocked = new Set<string>();
  const admitted: WaitingJob[] = [];
  const waiting = new Map<string, Waits>();
  const order = inOrder(world.waiting);
  for (const job of order) {
    const found = queues.get(job.queue);
    if (found === undefined) {
      waiting.set(job.uid, queueMissing(job, world.blocked.get(job.queue)));
      continue;
    }
    const { queue } = found;
    const { never, demands } = found.read(job);
    const why =
      never ?? largerThanResourceQuota(job, world.resourceQuotas) ?? whyNotYet(job, queue);
    if (why !== undefined) {
      waiting.set(job.uid, why);
      continue;
    }
    const waits = whyNoRoom(room.lacks(demands)) ?? whyBehind(room.keeper(demands));
    if (waits === undefined) {
      room.take(demands);
      admitted.push(job);
      continue;
    }
    waiting.set(job.uid, waits);
    // With BestEffort room is kept only for the first job of a queue that waits.
    if (queue.strategy === 'StrictFIFO' || !isBlocked.has(job.queue)) room.keep(demands, job.name);
    isBlocked.add(job.queue);
  }
  return { order, admitted, waiting };
}

/** Memoised, since the same job and the same queue have the same answer in every pass. */
const readerOf = memoize((queue: Queue) =>
  memoize((job: WaitingJob) => ({ never: whyNeverIn(job, queue), demands: demandsOf(job) })),
);

function queueMissing({ queue }: WaitingJob, why: string | undefined): Waits {
  if (why !== undefined)
    return { reason: 'QueueBlocked', message: `SwarmQueue ${queue} admits nothing: ${why}` };
  return { reason: 'QueueNotFound', message: `there is no SwarmQueue ${queue}` };
}

export function roomOf(world: NamespaceWorld): Room {
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

/** The demands on its queue come first, since a user reads the first one that is lacking. */
export const demandsOf = memoize((job: WaitingJob): readonly Demand[] =>
  [
    ...[...totalOf(job)].map(([resource, amount]) =>
      demandFor(boundOfQueue(job.queue), resource, amount),
    ),
    ...[...job.charges].flatMap(([name, charges]) =>
      [...charges].map(([resource, amount]) =>
        demandFor(boundOfResourceQuota(name), resource, amount),
      ),
    ),
    demandFor(LEDGER, 'bytes', BigInt(job.entryBytes)),
  ].filter(({ amount }) => amount > 0n),
);

function whyNotYet({ backsOffForMs }: WaitingJob, queue: Queue): Waits | undefined {
  if (queue.isPaused)
    return { reason: 'QueuePaused', message: `SwarmQueue ${queue.name} is paused` };
  if (backsOffForMs <= 0) return undefined;
  const seconds = Math.ceil(backsOffForMs / 1000);
  return {
    reason: 'BackingOff',
    message: `its last attempt has ended; the next is in ${seconds} s`,
  };
}

function whyNoRoom(lacks: readonly Lack[] | undefined): Waits | undefined {
  if (lacks === undefined) return undefined;
  return { reason: roomReasonOf(lacks[0]?.demand.bound ?? ''), lacks };
}

function roomReasonOf(bound: string): RoomReason {
  if (bound === LEDGER) return 'LedgerFull';
  return bound.startsWith('ResourceQuota ') ? 'ResourceQuotaLacks' : 'WaitingForQuota';
}

const whyBehind = (head: string | undefined): Waits | undefined =>
  head === undefined ? undefined : { reason: 'BehindHead', head };
