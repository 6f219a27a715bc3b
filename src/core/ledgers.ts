// What does a ledger say? Each version of its text is read once.
import { type LedgerEntry, parseLedger, type QueueLedger } from '../api/ledger.ts';
import { memoize } from './memoize.ts';

export const ledgerIn = memoize(parseLedger);

/** By UID of the SwarmJob. */
export const entriesOf = memoize(
  ({ entries }: QueueLedger): ReadonlyMap<string, LedgerEntry> =>
    new Map(entries.map((entry) => [entry.uid, entry])),
);
