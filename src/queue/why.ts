// Why does a job wait, in a sentence?
import type { Reason } from '../core/reason.ts';
import type { Lack } from './order/room.ts';
import { amountText } from './quota/text.ts';
import type { NeverReason, PauseReason, RoomReason } from './reasons.ts';

/** Thousands may wait for room: `whyText` makes their sentences when they are read. */
export type Waits =
  | Reason<NeverReason | PauseReason>
  | { readonly reason: RoomReason; readonly lacks: readonly Lack[] }
  | { readonly reason: 'BehindHead'; readonly head: string };

export function whyText(waits: Waits): string {
  if ('message' in waits) return waits.message;
  if ('head' in waits)
    return `there is room, and it is kept for SwarmJob ${waits.head}, which goes first`;
  if (waits.reason === 'LedgerFull')
    return 'the operator’s record of admitted jobs in this namespace is full';
  const bound = waits.lacks[0]?.demand.bound ?? '';
  const needs = waits.lacks
    .filter(({ demand }) => demand.bound === bound)
    .map(
      ({ demand: { resource, amount }, free }) =>
        `needs ${amountText(resource, amount)}, ${freeText(resource, free)} free`,
    )
    .join('; ');
  return waits.reason === 'WaitingForQuota' ? needs : `${bound}: ${needs}`;
}

/** A quota may be lowered below what is in use. */
const freeText = (resource: string, free: bigint): string => {
  const [text = '0'] = amountText(resource, free < 0n ? 0n : free).split(' ');
  return `${text} ${text === '1' ? 'is' : 'are'}`;
};
