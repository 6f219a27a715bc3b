// What should be: which entries the ledger has, who is admitted, and why does each other job wait?
import type { BatchJob } from '../api/batch-job.ts';
import { type LedgerContents, type LedgerEntry, takenBack } from '../api/ledger.ts';
import type { SwarmJob, SwarmQueue } from '../api/validate.ts';
import { type Amounts, larger, sum } from '../core/amounts.ts';
import type { Step } from '../core/decision.ts';
import { memoize } from '../core/memoize.ts';
import { isPausedBy } from '../core/pause.ts';
import { type PodDefaults, requestsOf } from '../core/pod-requests.ts';
import { timeText } from '../core/text.ts';
import { type AdmissionPass, admit } from './admit.ts';
import { type Claim, chargesOf, claimOf, entryOf, mayBeAdmitted, waitingJob } from './jobs.ts';
import { isGivenBack, mayHavePods } from './ledger/entries.ts';
import { nameOf, nothing, type Parts, partsByJob } from './parts.ts';
import {
  claimsOf,
  isPlainGivenBack,
  isScaledUp,
  type PlainJobs,
  plainJobs,
  plainSteps,
} from './plain-jobs.ts';
import { whyBlocked } from './preconditions.ts';
import { type HeldJob, heldJobs } from './quota/held.ts';
import { totalOf } from './quota/never.ts';
import { requestsOfPod } from './quota/pods.ts';
import { amountsIn } from './quota/text.ts';
import { usageOf } from './quota/usage.ts';
import type {
  LivingPods,
  NamespaceWorld,
  Queue,
  QueueWorld,
  ResourceQuota,
  WaitingJob,
} from './world.ts';

/** The entries of a ledger may have so many bytes. */
const MOST_LEDGER_BYTES = 512 * 1024;

export type DesiredQueues = {
  /** The facts from which the pass has decided. */
  readonly facts: NamespaceWorld;
  /** The objects of each job, by UID. */
  readonly parts: ReadonlyMap<string, Parts>;
  readonly ledger: LedgerContents;
  /** The ledger differs from the one that was observed. */
  readonly isLedgerChanged: boolean;
  readonly pass: AdmissionPass;
  /** In the order in which they go. */
  readonly waiting: readonly WaitingJob[];
  /** What will be in use of each queue, once the ledger is written. */
  readonly usage: ReadonlyMap<string, Amounts>;
  /** In the order of their names. */
  readonly held: readonly HeldJob[];
  /** Starts labelled batch Jobs, or suspends them again. */
  readonly plainSteps: readonly Step[];
};

export function computeDesiredState(
  world: QueueWorld,
  before: LedgerContents,
  now: number,
): DesiredQueues {
  const parts = partsByJob(world, before.entries);
  const jobs = new Map(world.jobs.map((job) => [job.meta.uid, job]));
  const plain = plainJobs(world.runs);
  const kept = before.entries.filter((entry) => {
    const { runs, pods } = parts.get(entry.uid) ?? nothing;
    const plainJob = plain.get(entry.uid);
    const { unnotedMs } = world;
    const unseenMs = world.unseenMs.get(entry.uid);
    const footprint = { livingPods: pods.length, unnotedMs, unseenMs };
    if (plainJob !== undefined) return !isPlainGivenBack(entry, plainJob, footprint);
    return !isGivenBack(entry, { ...footprint, job: jobs.get(entry.uid), runs });
  });
  const waiting = waitingJobs(world, plain, parts, kept, now);
  const living = inUse(world, parts, kept, jobs);
  const admitted = kept.map(admittedJob);
  const facts: NamespaceWorld = {
    queues: world.queues.flatMap((queue) => queueOf(queue) ?? []),
    blocked: blockedQueues(world.queues),
    waiting,
    admitted,
    living,
    resourceQuotas: quotasOf(world, kept, parts, jobs),
    ledgerBytes: MOST_LEDGER_BYTES - bytesOf(kept, before, world.ledger?.bytes ?? 0),
  };
  const pass = admit(facts);
  // An entry from before the job's last start time-out is void, and clocks of leaders differ: so
  // its time is never before that from which the job waits.
  const granted = pass.admitted.map((job, index) =>
    entryOf(job, before.nextGrant + 2 * index, timeText(Math.max(now, job.createdMs || 0))),
  );
  const entries = [...kept, ...granted];
  return {
    facts,
    parts,
    ledger: {
      epoch: before.epoch,
      nextGrant: before.nextGrant + 2 * granted.length,
      entries,
    },
    isLedgerChanged: granted.length > 0 || kept.length < before.entries.length,
    pass,
    waiting: pass.order.filter(({ uid }) => pass.waiting.has(uid)),
    usage: usageOf({ admitted: entries.map(admittedJob), living }),
    held: heldJobs(parts, jobs, entries),
    // Only entries that are written already: an entry of this decision starts nothing yet.
    plainSteps: plainSteps(plain, kept, { ...world, now }),
  };
}

function waitingJobs(
  world: QueueWorld,
  plain: PlainJobs,
  parts: ReadonlyMap<string, Parts>,
  kept: readonly LedgerEntry[],
  now: number,
): readonly WaitingJob[] {
  const queues = new Map(world.queues.map((queue) => [queue.meta.name, queue]));
  const around = { queues, quotas: world.resourceQuotas, defaults: world.podDefaults };
  const isIn = new Set(kept.map(({ uid }) => uid));
  const claims = world.jobs.flatMap((job) => {
    if (!job.spec.ok || isIn.has(job.meta.uid)) return [];
    const { runs } = parts.get(job.meta.uid) ?? nothing;
    return mayBeAdmitted(job, runs) ? [claimOf(job, job.spec.value, now)] : [];
  });
  const living = new Set([...parts].flatMap(([uid, { pods }]) => (pods.length > 0 ? [uid] : [])));
  return [...claims, ...claimsOf(plain, isIn, living, now)].map((claim) =>
    waitingJob(claim, around),
  );
}

/** Undefined: the queue is blocked. */
const queueOf = memoize((queue: SwarmQueue): Queue | undefined => {
  const { meta, spec } = queue;
  if (!spec.ok || whyBlocked(queue) !== undefined) return undefined;
  const { quota, strategy, maxPriority, maxActiveDeadlineSeconds } = spec.value;
  return {
    name: meta.name,
    quota: amountsIn(quota),
    strategy,
    maxPriority,
    maxDeadlineSeconds: maxActiveDeadlineSeconds,
    isPaused: isPausedBy(meta, spec.value) || meta.isDeleting,
  };
});

const blockedQueues = (queues: readonly SwarmQueue[]): ReadonlyMap<string, string> =>
  new Map(
    queues.flatMap((queue) => {
      const blocked = whyBlocked(queue);
      return blocked === undefined
        ? []
        : [[queue.meta.name, `${blocked.reason}: ${blocked.message}`]];
    }),
  );

const admittedJob = memoize((entry: LedgerEntry) => ({
  uid: entry.uid,
  name: entry.name,
  queue: entry.queue,
  requests: amountsIn(entry.requests),
}));

/**
 * The pods that live, and all pods that a batch Job without an entry, or larger than its entry, may
 * still make.
 */
function inUse(
  { podDefaults, unnotedMs }: QueueWorld,
  parts: ReadonlyMap<string, Parts>,
  entries: readonly LedgerEntry[],
  jobs: ReadonlyMap<string, SwarmJob>,
): readonly LivingPods[] {
  const entryOfJob = new Map(entries.map((entry) => [entry.uid, entry]));
  return [...parts].flatMap(([uid, { runs, pods }]) => {
    const [first] = pods;
    const entry = entryOfJob.get(uid);
    const started = runs.find((run) => mayHavePods(run, unnotedMs));
    const isCovered = entry !== undefined && (!started || !isScaledUp(started, entry));
    const claim = isCovered ? undefined : started && claimIn(jobs.get(uid), started);
    const queue = entry?.queue ?? runs[0]?.queue ?? first?.queue;
    if (queue === undefined || (first === undefined && !claim)) return [];
    const name = nameOf(jobs.get(uid), runs, first);
    const alive = sum(pods.map(requestsOfPod));
    const requests = claim ? larger([alive, totalOfClaim(claim, podDefaults)]) : alive;
    return [{ uid, name, queue, requests }];
  });
}

const totalOfClaim = (
  { podSpec, size }: Pick<Claim, 'podSpec' | 'size'>,
  defaults: PodDefaults,
): Amounts => totalOf({ perPod: requestsOf(podSpec, defaults), size });

/** What admitted jobs will still take of each ResourceQuota, for objects that are not made yet. */
function quotasOf(
  world: QueueWorld,
  entries: readonly LedgerEntry[],
  parts: ReadonlyMap<string, Parts>,
  jobs: ReadonlyMap<string, SwarmJob>,
): readonly ResourceQuota[] {
  const { resourceQuotas, podDefaults: defaults } = world;
  if (resourceQuotas.length === 0) return [];
  const promised = new Map<string, Amounts[]>(resourceQuotas.map(({ name }) => [name, []]));
  for (const { uid, grant } of entries) {
    const { runs, pods } = parts.get(uid) ?? nothing;
    const claim = claimIn(jobs.get(uid), runs[0]);
    const run = runs.find((it) => (it.grant ?? 0) >= grant);
    if (claim === undefined || run?.end !== undefined || run?.grant === takenBack(grant)) continue;
    const counted = pods.filter((pod) => !world.freshPodsMs.has(pod.uid));
    const share = { ...claim, size: Math.max(0, claim.size - counted.length) };
    for (const [name, charges] of chargesOf(share, { quotas: resourceQuotas, defaults }))
      promised.get(name)?.push(charges);
  }
  return resourceQuotas.map(({ name, hard, used }) => ({
    name,
    hard,
    used,
    promised: sum(promised.get(name) ?? []),
  }));
}

export const claimIn = (job: SwarmJob | undefined, run: BatchJob | undefined) => {
  if (job?.spec.ok === true) return claimOf(job, job.spec.value, 0);
  if (run === undefined || run.swarmJobUid !== undefined) return undefined;
  return { podSpec: run.podSpec, size: run.parallelism, makesObjects: false };
};

/** About how many bytes a ledger with these entries has. */
function bytesOf(kept: readonly LedgerEntry[], { entries }: LedgerContents, bytes: number): number {
  if (entries.length === 0) return bytes;
  return Math.ceil((bytes * kept.length) / entries.length);
}
