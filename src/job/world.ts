// What is known of a job when it is decided about? Plain values: a recorded world can be replayed.
import type { BatchJob } from '../api/batch-job.ts';
import type { JobPod } from '../api/job-pod.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import type { SwarmJob, SwarmJobSpec } from '../api/validate.ts';
import type { Refusal, VersionedRef } from '../core/decision.ts';
import type { Reason } from '../core/reason.ts';
import type { States } from '../core/state-ages.ts';

export type JobWorld = {
  readonly kind: 'SwarmJob';
  readonly job: SwarmJob;
  /** The API server does not have it any more, and the watch has not told that yet. */
  readonly isGone: boolean;
  /** There is a ledger for its namespace, as the operator wrote it. */
  readonly isLedgerKnown: boolean;
  /** This leader has written it: what an earlier one decided does not change it any more. */
  readonly isOfThisTerm: boolean;
  /** What the ledger grants it. */
  readonly entry: LedgerEntry | undefined;
  /** Why its queue lets it wait; undefined: not known, or it does not wait. */
  readonly waits: Verdict | undefined;
  /** Of its name, and controlled by it. */
  readonly batchJob: BatchJob | undefined;
  /** Of that batch Job, and those whose batch Job is gone. */
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
  /** For how long this leader has seen that it starts; 0: it does not. */
  readonly startingMs: number;
  readonly remembered: RememberedJob;
  readonly monotonicMs: number;
  /** What the API server refused of the last decision. */
  readonly refused: Refusal | undefined;
};

/** `isStalled`: it never starts as things are. */
export type Verdict = Reason<string> & { readonly isStalled?: boolean };

/** Its Service or its ConfigMap. `size`: the number of ranks for which it was made. */
export type Child = VersionedRef & { readonly size: number | undefined };

/** What its SwarmQueue says of all its jobs. */
export type QueueSays = {
  readonly activeDeadlineSeconds?: number | undefined;
  readonly maxActiveDeadlineSeconds?: number | undefined;
  readonly ttlSecondsAfterFinished?: number | undefined;
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
};

/** What its batch Job looked like before, as far as that says what its controller knows. */
export type SeenBatchJob = {
  readonly uid: string;
  /** Its controller had noted that it was started, when it was last seen to run. */
  readonly isStartNoted: boolean;
  /** When it was first seen to be taken back, and since when it was noted as suspended then. */
  readonly stop: { readonly ms: number; readonly suspendedMs: number | undefined } | undefined;
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
};

/** A job whose spec can be worked with. */
export type JobFacts = JobWorld & { readonly spec: SwarmJobSpec; readonly now: number };
