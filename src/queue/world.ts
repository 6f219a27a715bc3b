// What is known of a namespace when its jobs are admitted? Plain values.
import type { Amounts } from '../core/amounts.ts';

export type Queue = {
  readonly name: string;
  /** cpu, memory, ephemeral-storage and pods that are left out have no bound. */
  readonly quota: Amounts;
  readonly strategy: 'BestEffort' | 'StrictFIFO';
  readonly maxPriority: number;
  readonly isPaused: boolean;
};

export type WaitingJob = {
  readonly uid: string;
  readonly name: string;
  /** Of this namespace. There may be no such queue yet. */
  readonly queue: string;
  readonly createdMs: number;
  readonly priority: number;
  /** Pods, all of which start or none. */
  readonly size: number;
  /** What one pod requests. */
  readonly perPod: Amounts;
  /** What the whole job adds to the used amounts of each ResourceQuota that applies to it. */
  readonly charges: ReadonlyMap<string, Amounts>;
  /** Until it may be admitted again after a failure; 0: now. */
  readonly backsOffForMs: number;
  /** Of its entry in the ledger. */
  readonly entryBytes: number;
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
type LivingPods = {
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

export type NamespaceWorld = {
  readonly queues: readonly Queue[];
  readonly waiting: readonly WaitingJob[];
  readonly admitted: readonly AdmittedJob[];
  readonly living: readonly LivingPods[];
  readonly resourceQuotas: readonly ResourceQuota[];
  /** How many bytes more the ledger takes. */
  readonly ledgerBytes: number;
};
