// Which jobs have pods that request more than was admitted? A webhook or a LimitRange that has
// changed since can enlarge pods.
import type { JobPod } from '../../api/job-pod.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import { amountOf } from '../../core/amounts.ts';
import { memoize } from '../../core/memoize.ts';
import { listed } from '../../core/text.ts';
import { requestsOfPod } from './pods.ts';
import { amountsIn, amountText } from './text.ts';

const MOST_NAMED = 3;

/** Undefined: no pod was enlarged. `podsOf` returns the pods that have not ended. */
export function enlargedText(
  entries: readonly LedgerEntry[],
  podsOf: (uid: string) => readonly JobPod[],
): string | undefined {
  const texts = entries.flatMap((entry) => enlargedIn(entry, podsOf(entry.uid)) ?? []).sort();
  return texts.length === 0
    ? undefined
    : `pods request more than was admitted: ${listed(texts, MOST_NAMED)}`;
}

const admittedBy = memoize(({ requests }: LedgerEntry) => amountsIn(requests));

/** "lammps 3 cpu instead of 2 cpu" */
function enlargedIn(entry: LedgerEntry, pods: readonly JobPod[]): string | undefined {
  const admitted = admittedBy(entry);
  const count = BigInt(entry.size);
  for (const pod of pods)
    for (const [resource, amount] of requestsOfPod(pod)) {
      const total = amountOf(admitted, resource);
      if (amount * count <= total) continue;
      const [now, then] = [amount, total / count].map((it) => amountText(resource, it));
      return `${entry.name} ${now} instead of ${then}`;
    }
  return undefined;
}
