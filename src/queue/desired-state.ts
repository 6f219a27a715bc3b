// Which entries should the ledger have, which jobs are admitted, and why does each other job wait?
import { grantAfter } from '../api/grants.ts';
import type { LedgerContents, LedgerEntry } from '../api/ledger.ts';
import type { SwarmJob, SwarmQueue } from '../api/validate.ts';
import { type Amounts, larger, sum } from '../core/amounts.ts';
import type { PodDefaults } from '../core/completed-pod.ts';
import type { Step } from '../core/decision.ts';
import { memoize } from '../core/memoize.ts';
import { isPausedBy } from '../core/pause.ts';
import { requestsOf } from '../core/pod-requests.ts';
import { timeText } from '../core/text.ts';
import { type AdmissionPass, admit, type InUse } from './admit.ts';
import {
  type Claim,
  claimIn,
  claimOf,
  entryOf,
  isReturning,
  mayBeAdmitted,
  waitingJob,
} from './jobs.ts';
import { inPlaces, placesAfter } from './labelled/places.ts';
import {
  claimsOf,
  isPlainGivenBack,
  isScaledUp,
  plainJobs,
  plainSteps,
} from './labelled/plain-jobs.ts';
import { isGivenBack, mayHavePods } from './ledger/entries.ts';
import { pauseOfMs } from './ledger/never-begun.ts';
import { startsInMs } from './order/durations.ts';
import { holdingsIn } from './order/in-use.ts';
import { nameOf, nothing, type Parts, partsByJob } from './parts.ts';
import { whyBlocked } from './preconditions.ts';
import { runningJobs } from './preemption/running.ts';
import { type HeldJob, heldJobs } from './quota/held.ts';
import { totalOf } from './quota/never.ts';
import { ofOthersAfter, withOthers } from './quota/of-others.ts';
import { usedByUsers } from './quota/of-users.ts';
import { requestsOfPod } from './quota/pods.ts';
import { takenOf } from './quota/taken.ts';
import { amountsIn } from './quota/text.ts';
import { usageOf } from './quota/usage.ts';
import { usersIn, withUsers } from './users.ts';
import type {
  LivingPods,
  NamespaceWorld,
  OfOthers,
  Places,
  Queue,
  QueueWorld,
  WaitingJob,
} from './world.ts';

/** The largest total size of a ledger's entries. */
const MOST_LEDGER_BYTES = 512 * 1024;

export type DesiredQueues = {
  /** The facts from which the pass has decided. */
  readonly facts: NamespaceWorld;
  /**
   * The resources that jobs occupy, and when they free them, without the jobs that this pass
   * admits.
   */
  readonly holdings: () => readonly InUse[];
  /** Usage that does not come from jobs, by ResourceQuota and resource. */
  readonly ofOthers: ReadonlyMap<string, OfOthers>;
  /** Places in the queue of the Jobs of CronJobs, by UID of the CronJob. */
  readonly places: Places;
  /** The batch Jobs and pods of each job, by UID. */
  readonly parts: ReadonlyMap<string, Parts>;
  readonly ledger: LedgerContents;
  /** The ledger differs from the one that was observed. */
  readonly isLedgerChanged: boolean;
  readonly pass: AdmissionPass;
  /** Sorted by the order of admission. */
  readonly waiting: readonly WaitingJob[];
  /** The usage of each queue after the ledger is written. */
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
  const staying = before.entries.filter((entry) => {
    const { runs, pods } = parts.get(entry.uid) ?? nothing;
    const plainJob = plain.get(entry.uid);
    const { unnotedMs } = world;
    const unseenMs = world.unseenMs.get(entry.uid);
    const footprint = { livingPods: pods.length, unnotedMs, unseenMs };
    if (plainJob !== undefined) return !isPlainGivenBack(entry, plainJob, footprint);
    return !isGivenBack(entry, { ...footprint, job: jobs.get(entry.uid), runs });
  });
  const kept = withUsers(staying, { jobs, plain });
  const isIn = new Set(kept.map(({ uid }) => uid));
  const claims = claimsOf(plain, isIn, livingIn(parts), now);
  const places = placesAfter(world.remembered.places, claims, { ...world, plain, isIn });
  const placed = inPlaces(claims, plain, places);
  const waiting = waitingJobs(world, [...swarmClaims(world, parts, isIn, now), ...placed]);
  const living = inUse(world, parts, kept, jobs);
  const admitted = kept.map(admittedJob);
  const taken = takenOf(world, kept, parts, jobs);
  const ofOthers = ofOthersAfter(world.remembered.ofOthers, taken, world.monotonicMs);
  const queues = world.queues.flatMap((queue) => queueOf(queue) ?? []);
  const userOf = usersIn(kept, { jobs, plain });
  const facts: NamespaceWorld = {
    queues,
    blocked: blockedQueues(world.queues),
    waiting,
    returning: waitingJobs(world, returningClaims(world, isIn, now)),
    admitted,
    startsInMs: startsInMs(kept, parts),
    ofUsers: usedByUsers({ queues, waiting, admitted, living }, userOf),
    starting: startingIn(kept, jobs),
    living,
    ...runningJobs({
      ...{ queues: world.queues, open: queues, before: before.entries, entries: kept },
      ...{ parts, jobs, plain, waiting, now },
    }),
    resourceQuotas: taken.map((quota) => withOthers(quota, ofOthers)),
    ledgerBytes: MOST_LEDGER_BYTES - bytesOf(kept, before, world.ledger?.bytes ?? 0),
  };
  const holdings = once(() => holdingsIn(world, { facts, parts, entries: kept, userOf }, now));
  const pass = admit(facts, holdings);
  // An entry that is older than the job's last start time-out is void, and clocks of leaders
  // differ: so its time is never before the time from which the job waits.
  const granted = pass.admitted.map((job, index) =>
    entryOf(job, grantAfter(before.nextGrant, index), timeText(Math.max(now, job.createdMs || 0))),
  );
  const entries = [...markedIn(kept, pass, now), ...granted];
  return {
    facts,
    holdings,
    ofOthers,
    places,
    parts,
    ledger: {
      epoch: before.epoch,
      nextGrant: grantAfter(before.nextGrant, granted.length),
      entries,
    },
    isLedgerChanged: granted.length > 0 || pass.preempted.size > 0 || !isSame(kept, before.entries),
    pass,
    waiting: pass.order.filter(({ uid }) => pass.waiting.has(uid)),
    usage: usageOf({ admitted: entries.map(admittedJob), living }),
    held: heldJobs(parts, jobs, entries),
    // Only entries that are already written: an entry of this decision starts no Job yet.
    plainSteps: plainSteps(plain, kept, { ...world, parts, preempted: pass.preempted, now }),
  };
}

/**
 * A preempted job keeps its entry until its pods have ended. The job that takes its place loses its
 * claim on the remaining quota once it is admitted: otherwise, if it is preempted too, it would
 * claim that quota from the job that preempted it.
 */
function markedIn(
  entries: readonly LedgerEntry[],
  { preempted, admitted }: AdmissionPass,
  now: number,
): readonly LedgerEntry[] {
  if (preempted.size === 0 && admitted.length === 0) return entries;
  const begins = new Set(admitted.map(({ uid }) => uid));
  return entries.map((entry) => {
    const by = preempted.get(entry.uid);
    if (by !== undefined) {
      const { uid, name, priority } = by;
      return { ...entry, preempted: { uid, name, priority, time: timeText(now) } };
    }
    if (entry.preempted === undefined || !begins.has(entry.preempted.uid)) return entry;
    return { ...entry, preempted: { ...entry.preempted, uid: '' } };
  });
}

const STARTS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'Waiting',
  'Admitted',
  'Starting',
]);

/** A job leaves these states at the latest when its start times out. */
const startingIn = (
  entries: readonly LedgerEntry[],
  jobs: ReadonlyMap<string, SwarmJob>,
): string | undefined =>
  entries.find(({ uid, size }) => {
    const job = jobs.get(uid);
    return size > 1 && job !== undefined && STARTS.has(job.status?.state);
  })?.name;

/** Reads all running jobs, only in passes that need them. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const livingIn = (parts: ReadonlyMap<string, Parts>): ReadonlySet<string> =>
  new Set([...parts].flatMap(([uid, { pods }]) => (pods.length > 0 ? [uid] : [])));

const swarmClaims = (
  { jobs }: QueueWorld,
  parts: ReadonlyMap<string, Parts>,
  isIn: ReadonlySet<string>,
  now: number,
): readonly Claim[] =>
  jobs.flatMap((job) => {
    if (!job.spec.ok || isIn.has(job.meta.uid)) return [];
    const { runs } = parts.get(job.meta.uid) ?? nothing;
    return mayBeAdmitted(job, runs) ? [claimOf(job, job.spec.value, now)] : [];
  });

const returningClaims = (
  { jobs }: QueueWorld,
  isIn: ReadonlySet<string>,
  now: number,
): readonly Claim[] =>
  jobs.flatMap((job) =>
    job.spec.ok && !isIn.has(job.meta.uid) && isReturning(job)
      ? [claimOf(job, job.spec.value, now)]
      : [],
  );

function waitingJobs(world: QueueWorld, claims: readonly Claim[]): readonly WaitingJob[] {
  const queues = new Map(world.queues.map((queue) => [queue.meta.name, queue]));
  const around = { queues, quotas: world.resourceQuotas, defaults: world.podDefaults };
  return claims.map((claim) => waitingJob(afterPause(claim, world), around));
}

function afterPause(claim: Claim, { remembered: { neverBegun }, monotonicMs }: QueueWorld): Claim {
  const known = neverBegun.get(claim.uid);
  const pauseMs = pauseOfMs(known, monotonicMs);
  if (pauseMs <= claim.backsOffForMs) return claim;
  return { ...claim, backsOffForMs: pauseMs, timesNeverBegun: known?.times };
}

/** Undefined: the queue is blocked. */
const queueOf = memoize((queue: SwarmQueue): Queue | undefined => {
  const { meta, spec } = queue;
  if (!spec.ok || whyBlocked(queue) !== undefined) return undefined;
  const { quota, strategy, maxPriority, maxPerUser, maxActiveDeadlineSeconds } = spec.value;
  return {
    name: meta.name,
    quota: amountsIn(quota),
    strategy,
    maxPriority,
    maxPerUser: maxPerUser && amountsIn(maxPerUser),
    maxDeadlineSeconds: maxActiveDeadlineSeconds,
    isPaused: isPausedBy(meta, spec.value) || meta.isDeleting,
    preempts: spec.value.preemption?.withinQueue === 'LowerPriority',
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
 * The pods that have not ended, and all pods that a batch Job may still create if it has no entry
 * or is larger than its entry.
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

const isSame = (some: readonly LedgerEntry[], others: readonly LedgerEntry[]): boolean =>
  some.length === others.length && some.every((it, at) => it === others[at]);

/** The estimated size of a ledger with these entries. */
function bytesOf(kept: readonly LedgerEntry[], { entries }: LedgerContents, bytes: number): number {
  if (entries.length === 0) return bytes;
  return Math.ceil((bytes * kept.length) / entries.length);
}
