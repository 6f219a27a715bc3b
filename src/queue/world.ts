// What is known of a namespace when its jobs are admitted? Plain values.
import type { BatchJob } from '../api/batch-job.ts';
import type { JobPod } from '../api/job-pod.ts';
import type { LedgerContents, QueueLedger } from '../api/ledger.ts';
import { keyOf, type Ref } from '../api/objects.ts';
import type { SwarmJob, SwarmQueue } from '../api/validate.ts';
import type { Amounts } from '../core/amounts.ts';
import type { Refusal } from '../core/decision.ts';
import type { PodDefaults } from '../core/pod-requests.ts';
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
  /** What LimitRanges of the namespace and RuntimeClasses add to pods. */
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
  /** What each waiting job was told, by UID. */
  readonly verdicts: ReadonlyMap<string, JobVerdict>;
};

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
  verdicts: new Map(),
};

/** What the pure admission reads: numbers. */
export type NamespaceWorld = {
  readonly queues: readonly Queue[];
  /** Queues that admit nothing, and why. */
  readonly blocked: ReadonlyMap<string, string>;
  readonly waiting: readonly WaitingJob[];
  readonly admitted: readonly AdmittedJob[];
  readonly living: readonly LivingPods[];
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
  /** Undefined: a job may run for any time. */
  readonly maxDeadlineSeconds: number | undefined;
  readonly isPaused: boolean;
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
  /** Fields that a ResourceQuota wants pods to have, and that its pods lack. */
  readonly missing: readonly { readonly quota: string; readonly field: string }[];
  /** Until it may be admitted again after a failure; 0: now. */
  readonly backsOffForMs: number;
  /** Of its entry in the ledger. */
  readonly entryBytes: number;
  /** Why what it requests was not read. */
  readonly tooLarge?: string | undefined;
};

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
  /** By what exists. */
  readonly used: Amounts;
  /** To admitted jobs, for what they have not created yet. */
  readonly promised: Amounts;
};
