// Do two attempts of a job live at a time, or a rank twice? And has every rank of a job that has
// succeeded ended well by itself?
import type { BatchFacts } from './batch-jobs.ts';
import type { PodFacts } from './pods.ts';

/** When this pod begins to live beside the others of its namespace. */
export function attemptsWith(pod: PodFacts, living: readonly PodFacts[]): string | undefined {
  const { swarmJobUid, uid } = pod.batch;
  if (swarmJobUid === undefined || pod.run.by === 'hand') return undefined;
  const others = living.filter(
    ({ batch, isKnown }) => isKnown && batch.swarmJobUid === swarmJobUid && batch.uid !== uid,
  );
  if (others.length === 0) return undefined;
  return `pod ${pod.name} runs beside pods of an earlier attempt: ${namesOf(others)}`;
}

/** Kubernetes replaces a pod at once that a user takes from its Job. */
export function ranksWith(pod: PodFacts, living: readonly PodFacts[]): string | undefined {
  const { batch, rank, uid } = pod;
  if (rank === undefined || batch.swarmJobUid === undefined) return undefined;
  const twins = living.filter(
    (it) => it.batch.uid === batch.uid && it.rank === rank && it.uid !== uid && !it.isTouched,
  );
  if (twins.length === 0) return undefined;
  return `rank ${rank} runs twice: ${namesOf([pod, ...twins])}`;
}

/** When a rank may begin that has waited for the others. `pods`: all that ever were. */
export function beginsTooEarly(pod: PodFacts, pods: Iterable<PodFacts>): string | undefined {
  const own = [...pods].filter(({ batch, hasRun }) => batch.uid === pod.batch.uid && hasRun);
  const ranks = new Set(own.map(({ rank }) => rank)).size;
  if (ranks >= pod.batch.ranks) return undefined;
  return `pod ${pod.name} may begin, and ${ranks} of ${pod.batch.ranks} ranks have ever run`;
}

/** `pods`: all that ever were. */
export function falseSuccessOf(
  swarmJobUid: string,
  batches: Iterable<BatchFacts>,
  pods: Iterable<PodFacts>,
): string | undefined {
  const attempts = [...batches].filter((batch) => batch.swarmJobUid === swarmJobUid);
  const well = [...pods].filter(({ endedWell }) => endedWell);
  const isDone = ({ uid, ranks, isLed }: BatchFacts): boolean => {
    const own = new Set(well.flatMap(({ batch, rank }) => (batch.uid === uid ? rank : [])));
    return isLed ? own.has('0') : own.size === ranks;
  };
  if (attempts.some(isDone)) return undefined;
  return 'it is Succeeded, and in none of its attempts has every rank ended well by itself';
}

const namesOf = (pods: readonly PodFacts[]): string =>
  pods
    .map(({ name }) => name)
    .sort()
    .join(', ');
