// Which entries does a ledger have, and is an entry still valid? Each version of the text is parsed
// once.
import { type LedgerEntry, parseLedger, type QueueLedger } from '../api/ledger.ts';
import { hasGivenUp, podSpecOf } from '../api/swarm-job.ts';
import type { SwarmJob, SwarmJobSpec } from '../api/validate.ts';
import { type Amounts, amountOf, times } from './amounts.ts';
import { memoize } from './memoize.ts';
import { requestsOf } from './pod-requests.ts';
import { parseQuantity } from './quantity.ts';

export const ledgerIn = memoize(parseLedger);

/** By UID of the SwarmJob. */
export const entriesOf = memoize(
  ({ entries }: QueueLedger): ReadonlyMap<string, LedgerEntry> =>
    new Map(entries.map((entry) => [entry.uid, entry])),
);

/**
 * Nothing more is created under a void entry: another job takes its place, its start timed out, or
 * the job was edited since and requests something else. The entry is removed once no pod lives.
 */
export function isVoid(job: SwarmJob, entry: LedgerEntry): boolean {
  if (entry.preempted !== undefined || hasGivenUp(job, entry)) return true;
  if (!job.spec.ok) return false;
  const { size, queueName } = job.spec.value;
  if (queueName !== entry.queue || size !== entry.size) return true;
  const granted = grantedBy(entry);
  const asked = times(perPodOf(job.spec.value), size);
  return [...asked].some(([resource, amount]) => amount > amountOf(granted, resource));
}

/** A lower bound: LimitRanges only add to it. */
const perPodOf = memoize((spec: SwarmJobSpec): Amounts => requestsOf(podSpecOf(spec)));

const grantedBy = memoize(
  ({ requests }: LedgerEntry): Amounts =>
    new Map(Object.entries(requests).map(([name, text]) => [name, parseQuantity(text) ?? 0n])),
);
