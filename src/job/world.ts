// What is known of a job when it is decided about? Plain values: a recorded world can be replayed.
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
  /** The namespace has a ledger, and no other writer has edited it. */
  readonly isLedgerKnown: boolean;
  /** This leader has written it: what an earlier one decided does not change it any more. */
  readonly isOfThisTerm: boolean;
  /** A watch has failed, and has not been made good since: some facts may be old. */
  readonly isOutdated: boolean;
  /** The job's entry in the ledger. */
  readonly entry: LedgerEntry | undefined;
  /** Why its queue lets the job wait; undefined: this is not known, or the job does not wait. */
  readonly waits: Verdict | undefined;
  /** The batch Job that has the job's name and that the job controls. */
  readonly batchJob: BatchJob | undefined;
  /** The pods of that batch Job, and those whose batch Job is gone. */
  readonly pods: readonly JobPod[];
  /** Why Kubernetes could not create the pod of a rank, in its own words. */
  readonly podRefusal: string | undefined;
  readonly service: Child | undefined;
  readonly hosts: Child | undefined;
  /** Foreign objects that have the names of its own: "Service lammps". */
  readonly taken: readonly string[];
  readonly queue: QueueSays;
  /** How long the progress in status has been as it is. */
  readonly statusMs: number;
  /** For how long this leader has seen the job start; 0: it is not starting. */
  readonly startingMs: number;
  readonly remembered: RememberedJob;
  readonly monotonicMs: number;
  /** The write of the last decision that the API server refused. */
  readonly refused: Refusal | undefined;
};

/** The Service or the ConfigMap of a job. `size` is the number of ranks for which it was made. */
export type Child = VersionedRef & { readonly size: number | undefined };

/** What a SwarmQueue sets for all of its jobs. */
export type QueueSays = {
  readonly activeDeadlineSeconds?: number | undefined;
  readonly deadlineSignalSeconds?: number | undefined;
  readonly maxActiveDeadlineSeconds?: number | undefined;
  readonly ttlSecondsAfterFinished?: number | undefined;
  readonly startTimeoutSeconds?: number | undefined;
};

/** What the leader remembers: a decision returns it, and the next world contains it. */
export type RememberedJob = {
  readonly ages: States;
  readonly firstRun: FirstRun | undefined;
  /** The grant under which this leader last wanted its batch Job made. */
  readonly madeUnder: number | undefined;
  /** The same for its start. */
  readonly startedUnder: number | undefined;
  readonly batchJob: SeenBatchJob | undefined;
  readonly rankEnds: RankEnds | undefined;
};

/** What its batch Job looked like before, as far as that says what its controller knows. */
export type SeenBatchJob = {
  readonly uid: string;
  /** Its controller had noted that it was started, when it was last seen to run. */
  readonly isStartNoted: boolean;
  /** When it was first seen to be taken back, and since when it was noted as suspended then. */
  readonly stop: { readonly ms: number; readonly suspendedMs: number | undefined } | undefined;
};

/** How ranks of a batch Job have ended, or will end, as far as this leader knows. */
export type RankEnds = {
  readonly batchJobUid: string;
  /** They ended well by themselves. */
  readonly well: ReadonlySet<number>;
  /** They were told to end, by what; whatever their exit code is. */
  readonly told: ReadonlyMap<number, string>;
  /** Kubernetes counts them, and the watch has not shown how they ended: their pods are read. */
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
