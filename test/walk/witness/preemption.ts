// Did a job end only for one of higher priority, and does that one then start?
import type { Known } from './known.ts';
import { type SwarmJobFacts, specsSince } from './swarm-jobs.ts';

/** What an operator has read may be older by this. */
const SEEN_MS = 10_000;
/** The longest grace period, and some time for the API server and the node. */
const STARTS_MS = 40_000;

/** `facts`: a SwarmJob whose status begins to say that another takes its place. */
export function wrongPreemption(
  known: Known,
  facts: SwarmJobFacts,
  atMs: number,
  faultMs: number,
): string | undefined {
  const { preempted, namespace, queue } = facts;
  if (preempted === undefined) return undefined;
  const { by, priority } = preempted;
  const since = atMs - SEEN_MS - faultMs;
  const lowest = Math.min(...specsSince(facts, since).map((spec) => spec.priority));
  if (!(priority > lowest))
    return `it ended for job ${by} of priority ${priority}, and has had ${lowest} at least`;
  if (!known.queueOf(namespace, queue).letJobsOfLowerPriorityEnd(since))
    return `it ended for job ${by}, though its queue does not let it`;
  const urgent = known.swarmJobsOf(namespace, by);
  const had = urgent.flatMap((it) => specsSince(it, since).map((spec) => spec.priority));
  if (urgent.length > 0 && !had.includes(priority))
    return `it ended for job ${by} of priority ${priority}, which has had ${had.join(', ')}`;
  return undefined;
}

type Awaited = { readonly job: SwarmJobFacts; readonly sinceMs: number; readonly text: string };

/**
 * An urgent job is awaited from the moment at which another job ends for it. It is awaited no more
 * when it starts, or when a user changes the job, its queue, or what else takes the room.
 */
export class UrgentJobs {
  /** By the UID of the urgent job. */
  readonly #awaited = new Map<string, Awaited>();

  await(known: Known, { name, namespace, preempted }: SwarmJobFacts, sinceMs: number): void {
    if (preempted === undefined) return;
    const [job] = known.swarmJobsOf(namespace, preempted.by).filter((it) => !it.isDeleted);
    if (job === undefined || this.#awaited.has(job.uid)) return;
    const text = `job ${name} ended for job ${job.name}, which has not started since`;
    this.#awaited.set(job.uid, { job, sinceMs, text });
  }

  /** The urgent jobs that have not started in time. */
  take(known: Known, nowMs: number, faultMs: number): readonly Awaited[] {
    const all = [...this.#awaited.values()].filter((it) => !this.#isSettled(known, it, faultMs));
    const late = all.filter(({ sinceMs }) => nowMs - sinceMs > STARTS_MS + faultMs);
    this.#awaited.clear();
    for (const it of all) if (!late.includes(it)) this.#awaited.set(it.job.uid, it);
    return late;
  }

  #isSettled(known: Known, { job, sinceMs }: Awaited, faultMs: number): boolean {
    const { namespace, queue, uid } = job;
    const since = sinceMs - SEEN_MS - faultMs;
    const batches = [...known.batches.values()].filter((it) => it.namespace === namespace);
    const hasStarted = batches.some(
      (it) => it.swarmJobUid === uid && it.run !== undefined && it.run.startedMs >= since,
    );
    // Pods that users run beside the queue take the room.
    const isDisturbed =
      known.isDisturbed(namespace, since) ||
      batches.some(({ run }) => run?.by === 'hand' && run.startedMs >= since);
    const isWritten =
      specsSince(job, since).length > 1 || known.queueOf(namespace, queue).writtenMs >= since;
    return hasStarted || isDisturbed || isWritten || job.isDeleted;
  }
}
