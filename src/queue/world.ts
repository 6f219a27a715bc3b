// Which facts decide about the jobs of a namespace? Plain values.
import type { BatchJob } from '../api/batch-job.ts';
import type { JobPod } from '../api/job-pod.ts';
import type { LedgerContents, QueueLedger } from '../api/ledger.ts';
import { keyOf, type Ref } from '../api/objects.ts';
import type { SwarmJob, SwarmQueue } from '../api/validate.ts';
import type { Amounts } from '../core/amounts.ts';
import type { PodDefaults } from '../core/completed-pod.ts';
import type { Refusal } from '../core/decision.ts';
import type { Reason } from '../core/reason.ts';
import type { States } from '../core/state-ages.ts';

/** One decision is about all queues of a namespace. No object has the name in this key. */
export const keyOfQueues = (namespace: string): string => keyOf({ namespace, name: '(all)' });

/** The facts. */
export type QueueWorld = {
  readonly kind: 'SwarmQueue';
  readonly namespace: string;
  /** The epoch of this leader in this term. */
  readonly epoch: string;
  readonly ledgerRef: Ref;
  readonly ledger: QueueLedger | undefined;
  /** A watch has failed and has not recovered: some facts may be old. */
  readonly isOutdated: boolean;
  readonly queues: readonly SwarmQueue[];
  readonly jobs: readonly SwarmJob[];
  /** All batch Jobs of the namespace: of SwarmJobs, labelled ones, and others. */
  readonly runs: readonly BatchJob[];
  readonly pods: readonly JobPod[];
  readonly resourceQuotas: readonly NamespaceQuota[];
  /** UIDs of pods that ResourceQuotas may not count yet, and the time since each was first seen. */
  readonly freshPodsMs: ReadonlyMap<string, number>;
  /** Values that LimitRanges of the namespace, RuntimeClasses and PriorityClasses add to pods. */
  readonly podDefaults: PodDefaults;
  /**
   * Batch Jobs that were taken back or suspended before their controller had shown that it noticed
   * the start, by UID, and the time since: the controller may still create their pods.
   */
  readonly unnotedMs: ReadonlyMap<string, number>;
  /**
   * Ledger entries whose job does not want to run, and whose batch Job is gone or not known to be
   * started: it may have unknown pods. By UID, with the time for which this has lasted.
   */
  readonly unseenMs: ReadonlyMap<string, number>;
  /** How long the figures in the status of each queue have been unchanged, by name. */
  readonly statusMs: ReadonlyMap<string, number>;
  readonly remembered: RememberedQueues;
  readonly monotonicMs: number;
  readonly refused: Refusal | undefined;
};

/** An observed ResourceQuota. */
export type NamespaceQuota = {
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
  /** Empty: the quota counts every pod. */
  readonly scopes: readonly QuotaScope[];
};

export type QuotaScope = {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
};

/** The facts that one decision leaves to the next. */
export type RememberedQueues = {
  readonly ages: States;
  readonly ledgerWrittenMs: number | undefined;
  /** The ledger as it was last seen or written, unless another writer has edited it since. */
  readonly ledger: LedgerContents | undefined;
  /** Starts of batch Jobs that their controller has noticed. */
  readonly resumed: ReadonlySet<string>;
  /** Entries whose pods were all known when their batch Job was last seen. */
  readonly allPodsKnown: ReadonlySet<string>;
  /** Jobs that were admitted and did not begin, by UID. */
  readonly neverBegun: ReadonlyMap<string, NeverBegun>;
  /** Usage that does not come from jobs, by ResourceQuota and resource. */
  readonly ofOthers: ReadonlyMap<string, OfOthers>;
  /** Places of the Jobs of CronJobs. */
  readonly places: Places;
  /** The verdict that was reported on each waiting job, by UID. */
  readonly verdicts: ReadonlyMap<string, JobVerdict>;
};

/** Places of the Jobs of each CronJob, by UID of the CronJob. */
export type Places = ReadonlyMap<string, readonly CronJobPlace[]>;

export type CronJobPlace = {
  /** The UID of the Job that has the place, or had it. */
  readonly uid: string;
  /** The time from which it counts as waiting. */
  readonly ms: number;
  /** Undefined: the Job still waits. */
  readonly freeSinceMs?: number;
};

/**
 * `more` and `less`: larger or smaller usage by others that has not lasted long enough yet, and its
 * lowest or highest value.
 */
export type OfOthers = {
  readonly amount: bigint;
  readonly more?: { readonly least: bigint; readonly sinceMs: number };
  readonly less?: { readonly most: bigint; readonly sinceMs: number };
};

/** The number of times in a row, the last admission that counts, and when it was counted. */
export type NeverBegun = { readonly times: number; readonly grant: number; readonly ms: number };

/** The reported reason for which a job waits. */
export type JobVerdict = Reason<string> & {
  readonly name: string;
  /** The job cannot start unless a user changes something. */
  readonly isStalled: boolean;
};

export const nothingRemembered: RememberedQueues = {
  ages: new Map(),
  ledgerWrittenMs: undefined,
  ledger: undefined,
  resumed: new Set(),
  allPodsKnown: new Set(),
  neverBegun: new Map(),
  ofOthers: new Map(),
  places: new Map(),
  verdicts: new Map(),
};

/** The numbers that the pure admission reads. */
export type NamespaceWorld = {
  readonly queues: readonly Queue[];
  /** The queues that admit nothing, with the reason. */
  readonly blocked: ReadonlyMap<string, string>;
  readonly waiting: readonly WaitingJob[];
  /** Jobs that have given their quota back, and wait again once their attempt has ended. */
  readonly returning: readonly WaitingJob[];
  readonly admitted: readonly AdmittedJob[];
  /** The time from an admission until the job's deadline begins. */
  readonly startsInMs: number;
  /** Usage of users, in queues with maxPerUser. */
  readonly ofUsers: readonly OfUser[];
  /** The name of an admitted gang whose ranks do not all run yet. */
  readonly starting: string | undefined;
  readonly living: readonly LivingPods[];
  /** In queues with preemption: jobs that may end so that others can start. */
  readonly running: readonly RunningJob[];
  /** Jobs that were told to end, by UID. */
  readonly ending: ReadonlySet<string>;
  /**
   * UID of a waiting job -> the jobs that are still ending so that it can start; empty: all have
   * ended.
   */
  readonly endingFor: ReadonlyMap<string, readonly Named[]>;
  readonly resourceQuotas: readonly ResourceQuota[];
  /** The bytes that are left in the ledger. */
  readonly ledgerBytes: number;
};

export type Queue = {
  readonly name: string;
  /** Has no limit for cpu, memory, ephemeral-storage and pods if they are omitted. */
  readonly quota: Amounts;
  readonly strategy: 'BestEffort' | 'StrictFIFO';
  readonly maxPriority: number;
  /** Undefined: one user may use all of the quota. */
  readonly maxPerUser?: Amounts | undefined;
  /** Undefined: the time of a job is not limited. */
  readonly maxDeadlineSeconds: number | undefined;
  readonly isPaused: boolean;
  /** The queue's jobs may take the place of jobs of lower priority. */
  readonly preempts: boolean;
};

export type Named = { readonly uid: string; readonly name: string };

export type RunningJob = Named & {
  readonly queue: string;
  readonly priority: number;
  /** The time of its admission. */
  readonly sinceMs: number;
};

export type WaitingJob = {
  readonly uid: string;
  readonly name: string;
  /** A queue of this namespace, which may not exist yet. */
  readonly queue: string;
  readonly createdMs: number;
  readonly priority: number;
  readonly deadlineSeconds: number | undefined;
  /** The number of pods: all of them start, or none. */
  readonly size: number;
  /** The requests of one pod. */
  readonly perPod: Amounts;
  /** The amounts that the whole job adds to the usage of each ResourceQuota that applies to it. */
  readonly charges: ReadonlyMap<string, Amounts>;
  /** Fields that a ResourceQuota requires of every container, and the containers without them. */
  readonly missing: readonly {
    readonly quota: string;
    readonly field: string;
    readonly containers: readonly string[];
  }[];
  /** The devices that each pod claims (DRA): no quota counts them. */
  readonly claims: readonly string[];
  /** The time until the job may be admitted again after a failure; 0: now. */
  readonly backsOffForMs: number;
  /** The job was admitted so often without beginning, and is admitted again after this pause. */
  readonly timesNeverBegun?: number | undefined;
  /** The size of its ledger entry. */
  readonly entryBytes: number;
  /** The time that its pods take to end after its deadline, and the operator to notice. */
  readonly endsInMs: number;
  /** The user who submitted the job. Omitted: all jobs without a user count together. */
  readonly user?: string | undefined;
  /** The queue limits each user's part of its quota. */
  readonly isPerUser?: true;
  /** The last start of the job timed out: it lacked something other than room in its queue. */
  readonly hasTimedOut?: boolean | undefined;
  /** Omitted: the job is no gang, since each of its pods runs by itself. */
  readonly gang?: Gang | undefined;
  /** Why the requests of the job were not read. */
  readonly tooLarge?: string | undefined;
  /** The problem with the annotation that sets its priority. */
  readonly badPriority?: string | undefined;
  /** Why the signal cannot come so long before the deadline. */
  readonly badSignal?: string | undefined;
};

/** The usage of a user's jobs in a queue. */
export type OfUser = { readonly queue: string; readonly user: string; readonly used: Amounts };

/** All ranks of a gang have to run. TimedOut: its last start timed out. */
export type Gang = 'New' | 'TimedOut';

/** A job that may run, as its ledger entry grants. */
type AdmittedJob = {
  readonly uid: string;
  readonly name: string;
  readonly queue: string;
  /** The requests of all pods of the job. */
  readonly requests: Amounts;
};

/** The pods of one job that have not ended, including terminating ones. */
export type LivingPods = {
  readonly uid: string;
  readonly name: string;
  readonly queue: string;
  readonly requests: Amounts;
};

export type ResourceQuota = {
  readonly name: string;
  readonly hard: Amounts;
  /** The amount that existing objects use; not less than living pods and others hold. */
  readonly used: Amounts;
  /** The amounts that admitted jobs will use for objects that do not exist yet. */
  readonly promised: Amounts;
  /** The part of the usage that no job gives back when it ends. */
  readonly ofOthers: Amounts;
};
