// Which running jobs may end so that others can start, and which are ending already?
import type { BatchJob } from '../../api/batch-job.ts';
import type { JobPod } from '../../api/job-pod.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob, SwarmQueue } from '../../api/validate.ts';
import { isRunnable } from '../jobs.ts';
import { plainClaim, wasStarted } from '../labelled/plain-jobs.ts';
import { wantsToRun } from '../ledger/entries.ts';
import { nothing, type Parts } from '../parts.ts';
import type { NamespaceWorld, Queue, RunningJob, WaitingJob } from '../world.ts';

type Facts = {
  readonly queues: readonly SwarmQueue[];
  /** The queues that admit jobs. */
  readonly open: readonly Queue[];
  /** The entries of the observed ledger. */
  readonly before: readonly LedgerEntry[];
  /** The entries that stay in the ledger. */
  readonly entries: readonly LedgerEntry[];
  readonly parts: ReadonlyMap<string, Parts>;
  readonly jobs: ReadonlyMap<string, SwarmJob>;
  readonly plain: ReadonlyMap<string, BatchJob>;
  readonly waiting: readonly WaitingJob[];
  readonly now: number;
};

export function runningJobs(
  facts: Facts,
): Pick<NamespaceWorld, 'ending' | 'endingFor' | 'running'> {
  const preempting = facts.open.filter(({ preempts }) => preempts);
  const isMarked = facts.before.some(({ preempted }) => preempted !== undefined);
  if (preempting.length === 0 && !isMarked)
    return { running: [], ending: new Set(), endingFor: new Map() };
  const queues = new Set(preempting.map(({ name }) => name));
  const defaults = defaultPriorities(facts.queues);
  const running: RunningJob[] = [];
  const ending = new Set<string>();
  for (const entry of facts.entries) {
    const { uid, name, queue } = entry;
    if (isEnding(entry, facts)) ending.add(uid);
    else if (queues.has(queue) && entry.preempted === undefined && canBeStopped(entry, facts)) {
      const priority = priorityOf(uid, facts) ?? defaults.get(queue) ?? 0;
      running.push({ uid, name, queue, priority, sinceMs: Date.parse(entry.time) });
    }
  }
  return { running, ending, endingFor: endingFor(facts, ending) };
}

/** A job that has since left the queue has no claim on the room. */
function endingFor(
  { before, waiting }: Facts,
  ending: ReadonlySet<string>,
): NamespaceWorld['endingFor'] {
  const marked = before.filter(({ preempted }) => preempted !== undefined);
  if (marked.length === 0) return new Map();
  const queueOf = new Map(waiting.map(({ uid, queue }) => [uid, queue]));
  const own = marked.filter(({ queue, preempted }) => queueOf.get(preempted?.uid ?? '') === queue);
  return new Map(
    [...Map.groupBy(own, ({ preempted }) => preempted?.uid ?? '')].map(([uid, list]) => [
      uid,
      list.filter((entry) => ending.has(entry.uid)),
    ]),
  );
}

const defaultPriorities = (queues: readonly SwarmQueue[]): ReadonlyMap<string, number> =>
  new Map(
    queues.flatMap(({ meta, spec }) =>
      spec.ok ? [[meta.name, spec.value.jobDefaults.priority]] : [],
    ),
  );

function priorityOf(uid: string, { jobs, plain }: Facts): number | undefined {
  const job = jobs.get(uid);
  if (job !== undefined) return job.spec.ok ? job.spec.value.priority : undefined;
  const run = plain.get(uid);
  return run && plainClaim(run)?.priority;
}

/**
 * The job was told to end, and its pods are still in their grace period. A job whose pods outlive
 * that period, as on a lost node, may never end.
 */
function isEnding(entry: LedgerEntry, facts: Facts): boolean {
  const { parts, jobs, plain, now } = facts;
  const { pods } = parts.get(entry.uid) ?? nothing;
  if (pods.length > 0 && pods.every(({ isTerminating }) => isTerminating))
    return pods.every((pod) => isInGrace(pod, now));
  const job = jobs.get(entry.uid);
  const isStopped = job !== undefined && (!wantsToRun(job) || job.status?.state === 'Suspending');
  const run = plain.get(entry.uid);
  const isRunStopped = run?.isDeleting === true || (run?.isSuspended && wasStarted(run, entry));
  const isTold = entry.preempted !== undefined && canBeStopped(entry, facts);
  return isTold || isStopped || isRunStopped === true;
}

/** The kubelet and the watch may be late by this much. */
const LATE_MS = 10_000;

const isInGrace = ({ killedAtMs = Infinity }: JobPod, now: number): boolean =>
  now < killedAtMs + LATE_MS;

/** The operator ends no job that it cannot read, and no labelled Job that has lost its label. */
function canBeStopped({ uid }: LedgerEntry, { jobs, plain }: Facts): boolean {
  const job = jobs.get(uid);
  if (job !== undefined) return job.spec.ok && wantsToRun(job) && isRunnable(job.spec.value);
  const run = plain.get(uid);
  return run !== undefined && run.queue !== undefined && run.end === undefined && !run.isDeleting;
}
