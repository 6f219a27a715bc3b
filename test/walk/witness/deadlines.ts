// Does a pod of a SwarmJob run past the job's deadline?
import type { PodFacts } from './pods.ts';
import { type SwarmJobFacts, specsSince } from './swarm-jobs.ts';

/** A signal before the deadline leaves no time after it; otherwise the grace period follows. */
const GRACE_MS = 4_000;
/** For the API server and the node. */
const LATE_MS = 6_000;

/** When it ends. */
export function overrunOf(pod: PodFacts, job: SwarmJobFacts, atMs: number): string | undefined {
  const { run, batch, isTouched } = pod;
  // Pods of a Job that a user deletes as an orphan have no deadline any more.
  if (isTouched || batch.isDeleting) return undefined;
  const deadlines = specsSince(job, run.startedMs).map((spec) => spec.deadlineSeconds);
  const longest = Math.max(...deadlines.map((it) => it ?? Number.POSITIVE_INFINITY));
  const forMs = atMs - run.startedMs;
  if (forMs <= 1_000 * longest + GRACE_MS + LATE_MS) return undefined;
  return `pod ${pod.name} ended after ${forMs} ms, its deadline was ${longest} s`;
}
