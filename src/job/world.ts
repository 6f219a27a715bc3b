// Which facts decide about a job? Plain values: a recorded world can be replayed.
import type { BatchJob } from '../api/batch-job.ts';
import type { JobPod } from '../api/job-pod.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import type { SwarmJob, SwarmJobSpec } from '../api/validate.ts';
import type { Refusal, VersionedRef } from '../core/decision.ts';
import type { Verdict } from '../core/queued-jobs.ts';
import type { States } from '../core/state-ages.ts';

export type JobWorld = {
  readonly kind: 'SwarmJob';
  readonly job: SwarmJob;
  /** The API server does not have the job any more, and the watch has not reported that yet. */
  readonly isGone: boolean;
  /** The API server has the batch Job of the job, and the watch has not reported it yet. */
  readonly isUnreported: boolean;
  /** The namespace has a ledger, and no other writer has edited it. */
  readonly isLedgerKnown: boolean;
  /** This leader has written the ledger: no decision of an earlier one can change it any more. */
  readonly isOfThisTerm: boolean;
  /** A watch has failed and has not recovered: some facts may be old. */
  readonly isOutdated: boolean;
  /** The job's entry in the ledger. */
  readonly entry: LedgerEntry | undefined;
  /** The queue's reason to let the job wait; undefined: not known, or the job does not wait. */
  readonly waits: Verdict | undefined;
  /** The batch Job with the job's name, if the job controls it. */
  readonly batchJob: BatchJob | undefined;
  /** The pods of that batch Job, and pods whose batch Job is gone. */
  readonly pods: readonly JobPod[];
  /** Why Kubernetes could not create the pod of a rank, in its own words. */
  readonly podRefusal: string | undefined;
  readonly service: Child | undefined;
  readonly hosts: Child | undefined;
  /** Foreign objects with the names of the job's own objects: "Service lammps". */
  readonly taken: readonly string[];
  readonly queue: QueueSays;
  /** How long the progress in the status has been unchanged. */
  readonly statusMs: number;
  /** How long this leader has seen the job start; 0: the job is not starting. */
  readonly startingMs: number;
  readonly remembered: RememberedJob;
  readonly monotonicMs: number;
  /** The write of the last decision that the API server refused. */
  readonly refused: Refusal | undefined;
};

/** The Service or the ConfigMap of a job. `contents`: for which it was written, if it says so. */
export type Child = VersionedRef & { readonly contents: string | undefined };

/** Settings of a SwarmQueue for all of its jobs. */
export type QueueSays = {
  readonly activeDeadlineSeconds?: number | undefined;
  readonly deadlineSignalSeconds?: number | undefined;
  readonly maxActiveDeadlineSeconds?: number | undefined;
  readonly ttlSecondsAfterFinished?: number | undefined;
  readonly startTimeoutSeconds?: number | undefined;
};

/** The facts that a decision leaves to the next world. */
export type RememberedJob = {
  readonly ages: States;
  readonly firstRun: FirstRun | undefined;
  /** The grant under which this leader last decided to create the batch Job. */
  readonly madeUnder: number | undefined;
  /** The grant under which this leader last decided to start the batch Job. */
  readonly startedUnder: number | undefined;
  readonly batchJob: SeenBatchJob | undefined;
  readonly rankEnds: RankEnds | undefined;
};

/** Earlier facts about the batch Job that show what its controller has noticed. */
export type SeenBatchJob = {
  readonly uid: string;
  /** The controller had noted the start, when the batch Job was last seen to run. */
  readonly isStartNoted: boolean;
  /**
   * When the batch Job was first seen to be taken back, and the time of its Suspended condition at
   * that moment.
   */
  readonly stop: { readonly ms: number; readonly suspendedMs: number | undefined } | undefined;
};

/** How the ranks of a batch Job have ended, or will end, as far as this leader knows. */
export type RankEnds = {
  readonly batchJobUid: string;
  /** Ranks that have succeeded by themselves. */
  readonly well: ReadonlySet<number>;
  /** Ranks that were told to end, with the cause; their exit codes do not count. */
  readonly told: ReadonlyMap<number, string>;
  /**
   * Ranks that Kubernetes counts as completed, while the watch has not shown how they ended: their
   * pods are read.
   */
  readonly unseen: ReadonlySet<number>;
};

/** When all ranks of an attempt were first seen to run. */
export type FirstRun = {
  readonly batchJobUid: string;
  readonly time: string;
  readonly ms: number;
  readonly message: string;
};

export const nothingRemembered: RememberedJob = {
  ages: new Map(),
  firstRun: undefined,
  madeUnder: undefined,
  startedUnder: undefined,
  batchJob: undefined,
  rankEnds: undefined,
};

/** The world of a job with a valid spec, and the time. */
export type JobFacts = JobWorld & { readonly spec: SwarmJobSpec; readonly now: number };
