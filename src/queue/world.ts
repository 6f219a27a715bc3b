// What is known of a namespace when its jobs are admitted? Plain values.
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

/** They are decided about together. No object has the name in this key. */
export const keyOfQueues = (namespace: string): string => keyOf({ namespace, name: '(all)' });

/** The facts. */
export type QueueWorld = {
  readonly kind: 'SwarmQueue';
  readonly namespace: string;
  /** Of this leader, in this term. */
  readonly epoch: string;
  readonly ledgerRef: Ref;
  readonly ledger: QueueLedger | undefined;
  /** A watch has failed, and has not been made good since: some facts may be old. */
  readonly isOutdated: boolean;
  readonly queues: readonly SwarmQueue[];
  readonly jobs: readonly SwarmJob[];
  /** All batch Jobs of the namespace: of SwarmJobs, queued by their label, or neither. */
  readonly runs: readonly BatchJob[];
  readonly pods: readonly JobPod[];
  readonly resourceQuotas: readonly NamespaceQuota[];
  /** UIDs of pods that ResourceQuotas may not count yet, and how long ago they were first seen. */
  readonly freshPodsMs: ReadonlyMap<string, number>;
  /** What LimitRanges of the namespace, RuntimeClasses and PriorityClasses add to pods. */
  readonly podDefaults: PodDefaults;
  /**
   * Batch Jobs that were taken back or suspended before their controller had shown that it let them
   * run, by UID, and how long ago: it may still make their pods.
   */
  readonly unnotedMs: ReadonlyMap<string, number>;
  /**
   * Entries of the ledger whose job does not want to run, and whose batch Job is gone or not known
   * to be started: it may have pods that are not known yet. By UID, and for how long.
   */
  readonly unseenMs: ReadonlyMap<string, number>;
  /** How long the progress in the status of each queue has been as it is, by name. */
  readonly statusMs: ReadonlyMap<string, number>;
  readonly remembered: RememberedQueues;
  readonly monotonicMs: number;
  readonly refused: Refusal | undefined;
};

/** A ResourceQuota as it is observed. */
export type NamespaceQuota = {
  readonly name: string;
  readonly hard: Amounts;
  readonly used: Amounts;
  /** Empty: it counts every pod. */
  readonly scopes: readonly QuotaScope[];
};

export type QuotaScope = {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
};

/** What one decision leaves to the next. */
export type RememberedQueues = {
  readonly ages: States;
  readonly ledgerWrittenMs: number | undefined;
  /** As it was seen or written last, unless another writer has edited it since. */
  readonly ledger: LedgerContents | undefined;
  /** Starts of batch Jobs whose controller let them run. */
  readonly resumed: ReadonlySet<string>;
  /** Entries all of whose pods were known when their batch Job was seen last. */
  readonly allPodsKnown: ReadonlySet<string>;
  /** Jobs that were admitted and did not begin, by UID. */
  readonly neverBegun: ReadonlyMap<string, NeverBegun>;
  /** What others than jobs hold, by ResourceQuota and resource. */
  readonly ofOthers: ReadonlyMap<string, OfOthers>;
  /** Of the Jobs of CronJobs. */
  readonly places: Places;
  /** What each waiting job was told, by UID. */
  readonly verdicts: ReadonlyMap<string, JobVerdict>;
};

/** Of the Jobs that CronJobs make, by UID of the CronJob. */
export type Places = ReadonlyMap<string, readonly CronJobPlace[]>;

export type CronJobPlace = {
  /** Of the Job that has it, or had it. */
  readonly uid: string;
  /** From when on it waits. */
  readonly ms: number;
  /** Undefined: its Job waits. */
  readonly freeSinceMs?: number;
};

/** `more` and `less`: others seem to hold so much, at least or at most, but not for long yet. */
export type OfOthers = {
  readonly amount: bigint;
  readonly more?: { readonly least: bigint; readonly sinceMs: number };
  readonly less?: { readonly most: bigint; readonly sinceMs: number };
};

/** How often in a row, and when last. */
export type NeverBegun = { readonly times: number; readonly ms: number };

/** Why a job waits, as it is told. */
export type JobVerdict = Reason<string> & {
  readonly name: string;
  /** As things are it never starts: a user has to change something. */
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

/** What the pure admission reads: numbers. */
export type NamespaceWorld = {
  readonly queues: readonly Queue[];
  /** Queues that admit nothing, and why. */
  readonly blocked: ReadonlyMap<string, string>;
  readonly waiting: readonly WaitingJob[];
  /** They have given their quota back, and wait again once their attempt has come to its end. */
  readonly returning: readonly WaitingJob[];
  readonly admitted: readonly AdmittedJob[];
  /** How long an admitted job takes until its deadline begins. */
  readonly startsInMs: number;
  /** Of users of queues that bound what each may have. */
  readonly ofUsers: readonly OfUser[];
  /** The name of a gang that is admitted and not whole yet. */
  readonly starting: string | undefined;
  readonly living: readonly LivingPods[];
  /** Of queues that preempt: jobs that may end so that others start. */
  readonly running: readonly RunningJob[];
  /** Jobs that were told to end, by UID. */
  readonly ending: ReadonlySet<string>;
  /** UID of a waiting job -> those that still end so that it can start; none: all have ended. */
  readonly endingFor: ReadonlyMap<string, readonly Named[]>;
  readonly resourceQuotas: readonly ResourceQuota[];
  /** How many bytes more the ledger takes. */
  readonly ledgerBytes: number;
};

export type Queue = {
  readonly name: string;
  /** cpu, memory, ephemeral-storage and pods that are left out have no bound. */
  readonly quota: Amounts;
  readonly strategy: 'BestEffort' | 'StrictFIFO';
  readonly maxPriority: number;
  /** Undefined: a user may have all of the quota. */
  readonly maxPerUser?: Amounts | undefined;
  /** Undefined: a job may run for any time. */
  readonly maxDeadlineSeconds: number | undefined;
  readonly isPaused: boolean;
  /** Its jobs may take the place of others of lower priority. */
  readonly preempts: boolean;
};

export type Named = { readonly uid: string; readonly name: string };

export type RunningJob = Named & {
  readonly queue: string;
  readonly priority: number;
  /** When it was admitted. */
  readonly sinceMs: number;
};

export type WaitingJob = {
  readonly uid: string;
  readonly name: string;
  /** Of this namespace. There may be no such queue yet. */
  readonly queue: string;
  readonly createdMs: number;
  readonly priority: number;
  readonly deadlineSeconds: number | undefined;
  /** Pods, all of which start or none. */
  readonly size: number;
  /** What one pod requests. */
  readonly perPod: Amounts;
  /** What the whole job adds to the used amounts of each ResourceQuota that applies to it. */
  readonly charges: ReadonlyMap<string, Amounts>;
  /** Fields that a ResourceQuota demands of every container, and the containers that lack them. */
  readonly missing: readonly {
    readonly quota: string;
    readonly field: string;
    readonly containers: readonly string[];
  }[];
  /** What each pod claims of devices (DRA): no quota counts them. */
  readonly claims: readonly string[];
  /** Until it may be admitted again after a failure; 0: now. */
  readonly backsOffForMs: number;
  /** It is admitted after this pause, and was so often before, and did not begin. */
  readonly timesNeverBegun?: number | undefined;
  /** Of its entry in the ledger. */
  readonly entryBytes: number;
  /** How long its pods take to end, and the operator to know it, once its deadline is over. */
  readonly endsInMs: number;
  /** Who submitted it. Left out: it does not say, and counts with all others that do not. */
  readonly user?: string | undefined;
  /** Its queue bounds what each user may have. */
  readonly isPerUser?: true;
  /** Its last start timed out: it lacked something else than room in its queue. */
  readonly hasTimedOut?: boolean | undefined;
  /** Left out: it is none, as each of its pods runs by itself. */
  readonly gang?: Gang | undefined;
  /** Why what it requests was not read. */
  readonly tooLarge?: string | undefined;
  /** The annotation with its priority is no number that is allowed: what is wrong. */
  readonly badPriority?: string | undefined;
  /** It cannot be told to end so long before its deadline: why. */
  readonly badSignal?: string | undefined;
};

/** What the jobs of a user have in use of a queue. */
export type OfUser = { readonly queue: string; readonly user: string; readonly used: Amounts };

/** All ranks of a gang have to run, and its last start may have timed out. */
export type Gang = 'New' | 'TimedOut';

/** A job that may run: an entry of the ledger. */
type AdmittedJob = {
  readonly uid: string;
  readonly name: string;
  readonly queue: string;
  /** Of all its pods. */
  readonly requests: Amounts;
};

/** Pods of one job that have not ended, terminating ones among them. */
export type LivingPods = {
  readonly uid: string;
  readonly name: string;
  readonly queue: string;
  readonly requests: Amounts;
};

export type ResourceQuota = {
  readonly name: string;
  readonly hard: Amounts;
  /** By what exists; not less than what pods that live and others hold. */
  readonly used: Amounts;
  /** To admitted jobs, for what they have not created yet. */
  readonly promised: Amounts;
  /** Of what is used: what no job gives back when it ends. */
  readonly ofOthers: Amounts;
};
