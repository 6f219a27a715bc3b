// Do more pods of a queue or of one user live than the queue allows, but for what users did
// themselves?
import type { Amounts, PodFacts } from './pods.ts';
import type { QueueHistory } from './queues.ts';

/**
 * A pod that a user runs beside the queue counts for what is admitted this much later:
 * docs/limits.md promises some ten seconds.
 */
export const NOTICED_MS = 15_000;
/** From the admission of a job to its start; its quota may be lowered meanwhile. */
const ADMITTED_MS = 5_000;

type Charged = { readonly queue: string | undefined; readonly sinceMs: number };

/**
 * Pods that the queue itself started, up to the size with which it started their Job, count since
 * that start; all others since a user has made them.
 */
function chargeOf(pod: PodFacts, place: number): Charged & { readonly isByQueue: boolean } {
  const { run, batch, createdMs } = pod;
  if (run.by === 'queue' && place < run.size)
    return { queue: run.queue, sinceMs: run.startedMs, isByQueue: true };
  const queue = run.by === 'queue' ? run.queue : batch.label;
  return { queue, sinceMs: Math.max(createdMs, batch.labelSinceMs), isByQueue: false };
}

/** `living`: of one namespace; for `perUser` those of one user. */
export function excessOf(
  living: readonly PodFacts[],
  queue: string,
  history: QueueHistory,
  /** `faultMs`: how long a fault may delay the operator. */
  { bound, faultMs }: { readonly bound: 'quota' | 'perUser'; readonly faultMs: number },
): string | undefined {
  const charged = [...Map.groupBy(living, ({ run }) => run).values()]
    .flatMap((pods) => pods.map((pod, place) => ({ pod, ...chargeOf(pod, place) })))
    .filter((it) => it.queue === queue && it.pod.isKnown);
  const starts = charged.filter(({ isByQueue }) => isByQueue).map(({ sinceMs }) => sinceMs);
  const last = Math.max(...starts);
  // What ran before goes on when the quota is lowered: the last start had to fit.
  const quota = history.largestSince(last - ADMITTED_MS - faultMs, bound);
  if (starts.length === 0 || quota === undefined) return undefined;
  const counted = charged.filter((it) => it.isByQueue || it.sinceMs < last - NOTICED_MS - faultMs);
  const sum = sumOf(counted.map(({ pod }) => pod.amounts));
  if (sum.pods <= quota.pods && sum.cpu <= quota.cpu) return undefined;
  const names = counted.map(({ pod, isByQueue }) => `${pod.name}${isByQueue ? '' : ' (by hand)'}`);
  return (
    `queue ${queue} has ${sum.pods} pods with ${sum.cpu}m cpu alive, its ${bound} is ` +
    `${quota.pods} pods and ${quota.cpu}m cpu: ${names.sort().join(', ')}`
  );
}

export const sumOf = (all: readonly Amounts[]): Amounts => ({
  pods: all.reduce((sum, { pods }) => sum + pods, 0),
  cpu: all.reduce((sum, { cpu }) => sum + cpu, 0),
});
