// Which jobs of a queue are admitted, and which ones wait, in which order?
import { positionsOf } from '../../queue/order/positions.ts';
import { startsIn, type ToldStart } from '../../queue/starts.ts';
import { whyText } from '../../queue/why.ts';
import type { WaitingJob } from '../../queue/world.ts';
import type { DecidedQueues } from './observe-queues.ts';

export type WaitingRow = ToldStart & {
  /** Undefined: it never starts as things are. */
  readonly position?: number;
  readonly uid: string;
  /** Of a batch Job that is queued by its label: `Job/nightly`. */
  readonly name: string;
  readonly priority: number;
  readonly size: number;
  readonly reason: string;
  readonly message: string;
};

/** No reason of the operator: this job does not wait any more when it decides next. */
const NEXT = 'Next';

/** In the order in which they go, those that are about to be admitted first. */
export function waitingIn(decided: DecidedQueues, queue: string): readonly WaitingRow[] {
  const { desired, now } = decided;
  const { pass } = desired;
  const starts = startsIn(desired, queue, now);
  const nameOf = namesIn(decided);
  const jobs = pass.order.filter((job) => job.queue === queue);
  const positions = positionsOf(jobs, pass.waiting);
  return jobs.map((job) => {
    const { uid, priority, size } = job;
    const waits = pass.waiting.get(uid);
    const why =
      waits === undefined
        ? { reason: NEXT, message: 'there is room for it: the operator admits it next' }
        : { reason: waits.reason, message: whyText(waits) };
    const position = positions.get(uid);
    const row = { uid, name: nameOf(job), priority, size };
    return { ...(position !== undefined && { position }), ...row, ...why, ...starts.get(uid) };
  });
}

/** Those of them that count when a place is told, such as "position 2 of 3". */
export const placedAmong = (rows: readonly WaitingRow[]): readonly WaitingRow[] =>
  rows.filter(({ position }) => position !== undefined);

function namesIn({ world }: DecidedQueues) {
  const swarmJobs = new Set(world.jobs.map(({ meta }) => meta.uid));
  return ({ uid, name }: { readonly uid: string; readonly name: string }): string =>
    swarmJobs.has(uid) ? name : `Job/${name}`;
}

export const queuedIn = (
  { desired: { pass } }: DecidedQueues,
  uid: string,
): WaitingJob | undefined => pass.order.find((it) => it.uid === uid);

/** Jobs that are admitted. */
export const admittedIn = (decided: DecidedQueues, queue: string): readonly string[] => {
  const { ledger, pass } = decided.desired;
  const next = new Set(pass.admitted.map(({ uid }) => uid));
  return ledger.entries
    .filter((entry) => entry.queue === queue && !next.has(entry.uid))
    .map(namesIn(decided))
    .sort();
};
