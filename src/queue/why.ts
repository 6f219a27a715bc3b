// Why does a job wait, in a sentence?
import type { Reason } from '../core/reason.ts';
import { listed } from '../core/text.ts';
import { boundText } from './order/bounds.ts';
import type { Lack } from './order/free-quota.ts';
import { amountText } from './quota/text.ts';
import type { NeverReason, PauseReason, RoomReason } from './reasons.ts';

/**
 * A sentence is made only when it is read (`whyText`), since thousands of jobs may wait for room.
 */
export type Waits =
  | Reason<NeverReason | PauseReason>
  | { readonly reason: RoomReason; readonly lacks: readonly Lack[] }
  | {
      readonly reason: 'BehindHead';
      readonly head: string;
      /** No job of the queue passes it, whether or not there is room. */
      readonly isStrict?: true;
    }
  | { readonly reason: 'AnotherStarts'; readonly starting: string }
  | { readonly reason: 'MakingRoom'; readonly ending: readonly string[] };

/** The current reason, with the free amounts and the job that goes first. */
export function whyText(waits: Waits): string {
  if ('message' in waits) return waits.message;
  if ('ending' in waits) return endingText(waits.ending);
  if ('starting' in waits)
    return `its last start timed out: it starts when job ${waits.starting} runs, or has given up`;
  if ('head' in waits)
    return waits.isStrict === true
      ? `job ${waits.head} goes first, and with StrictFIFO none passes it`
      : `there is room, and it is kept for job ${waits.head}, which goes first`;
  return lackText(waits, ({ demand, free }) => {
    const needs = amountText(demand.resource, demand.amount);
    return `needs ${needs}, ${freeText(demand.resource, free)} free`;
  });
}

/** The sentence for the job's status, which stays the same while other jobs come and go. */
export function lastingText(waits: Waits): string {
  if (waits.reason === 'BackingOff') return 'its last attempt has ended; the next follows a pause';
  if ('message' in waits) return waits.message;
  if ('ending' in waits) return 'jobs of lower priority end to make room for it';
  if ('starting' in waits) return 'its last start timed out, and another job starts';
  if ('head' in waits)
    return waits.isStrict === true
      ? 'jobs that go first wait, and with StrictFIFO none passes them'
      : 'there is room, and it is kept for jobs that go first';
  return lackText(
    waits,
    ({ demand }) => `needs ${amountText(demand.resource, demand.amount)}, and less is free`,
  );
}

const endingText = (names: readonly string[]): string =>
  names.length === 1
    ? `job ${names[0]} of lower priority ends to make room for it`
    : `jobs ${listed(names)} of lower priority end to make room for it`;

function lackText(
  { reason, lacks }: { readonly reason: RoomReason; readonly lacks: readonly Lack[] },
  textOf: (lack: Lack) => string,
): string {
  if (reason === 'LedgerFull')
    return 'the operator’s record of admitted jobs in this namespace is full';
  const bound = lacks[0]?.demand.bound ?? '';
  const needs = lacks
    .filter(({ demand }) => demand.bound === bound)
    .map(textOf)
    .join('; ');
  return reason === 'WaitingForQuota' ? needs : `${boundText(bound)}: ${needs}`;
}

/** Nothing is free if the quota was lowered below the usage. */
const freeText = (resource: string, free: bigint): string => {
  const [text = '0'] = amountText(resource, free < 0n ? 0n : free).split(' ');
  return `${text} ${text === '1' ? 'is' : 'are'}`;
};
