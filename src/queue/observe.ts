// What is the world of one namespace's queues? Collected from caches at one moment; decides
// nothing.
import type { BatchJob } from '../api/batch-job.ts';
import type { QueueLedger } from '../api/ledger.ts';
import type { Ref } from '../api/objects.ts';
import { hasEnded } from '../api/swarm-job.ts';
import type { SwarmJob, SwarmQueueStatus } from '../api/validate.ts';
import { isTakenBack, startOf } from '../core/batch-ends.ts';
import type { Refusal } from '../core/decision.ts';
import { measureAges } from '../core/state-ages.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KnownBatchJobs } from '../runtime/store/batch-jobs.ts';
import type { QueueCaches } from './observe/caches.ts';
import { unseenOf } from './observe/unseen.ts';
import { COUNTED_WITHIN_MS } from './quota/resource-quotas.ts';
import { nothingRemembered, type QueueWorld, type RememberedQueues } from './world.ts';

type QueueSources = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly batchJobs: KnownBatchJobs;
  readonly caches: QueueCaches;
};

type Before = {
  readonly epoch: string;
  readonly ledgerRef: Ref;
  readonly ledger: QueueLedger | undefined;
  readonly isOutdated: boolean;
  readonly remembered: RememberedQueues;
  readonly refused: Refusal | undefined;
};

export function observeQueues(
  { clock, batchJobs, caches }: QueueSources,
  namespace: string,
  { remembered, ...before }: Before,
): QueueWorld {
  const monotonicMs = clock.monotonic();
  const queues = caches.queues.by('namespace', namespace);
  const runs = batchJobs.in(namespace);
  const pods = batchJobs.podsIn(namespace);
  const resourceQuotas = caches.resourceQuotas.by('namespace', namespace);
  const jobs = caches.jobs.by('namespace', namespace);
  const isNewTerm = remembered === nothingRemembered;
  const atRest = new Set(isNewTerm ? jobs.filter(isAtRest).map(({ meta }) => meta.uid) : []);
  const isNoted = (run: BatchJob): boolean =>
    run.isResumed || remembered.resumed.has(startOf(run)) || atRest.has(run.swarmJobUid ?? '');
  const resumed = new Set(runs.filter(isNoted).map(startOf));
  const { allPodsKnown, unseen } = unseenOf(before.ledger?.entries ?? [], {
    ...{ runs, jobs, knownBefore: remembered.allPodsKnown },
    podsOf: (run) => batchJobs.podsOf(run),
  });
  const { ages, states } = measureAges(remembered.ages, monotonicMs, (age) => ({
    statusMs: new Map(
      queues.map(({ meta, status }) => [meta.name, age(meta.name, figuresIn(status))]),
    ),
    unnotedMs: new Map(
      runs
        .filter((run) => isStopped(run) && !resumed.has(startOf(run)))
        .map(({ uid, grant }) => [uid, age(`batch Job ${uid}`, String(grant))]),
    ),
    unseenMs: new Map(unseen.map(({ uid, grant }) => [uid, age(`pods of ${uid}`, String(grant))])),
    freshPodsMs: new Map(
      (resourceQuotas.length === 0 ? [] : pods)
        .map(({ uid }): [string, number] => [uid, age(`pod ${uid}`, '')])
        .filter(([, ms]) => ms < COUNTED_WITHIN_MS),
    ),
  }));
  return {
    kind: 'SwarmQueue',
    namespace,
    ...before,
    queues,
    jobs,
    runs,
    pods,
    resourceQuotas,
    podDefaults: caches.defaultsIn(namespace),
    ...ages,
    remembered: { ...remembered, ages: states, resumed, allPodsKnown },
    monotonicMs,
  };
}

/** All figures in a status, which are written at a limited pace. */
const figuresIn = (status: SwarmQueueStatus | undefined): string => {
  const { pending, running, usage, held, waiting } = status ?? {};
  return JSON.stringify([pending, running, usage, held, waiting]);
};

/** An earlier leader has seen that the job has no pods left, or its state would differ. */
const isAtRest = (job: SwarmJob): boolean => hasEnded(job) || job.status?.state === 'Suspended';

/** The batch Job was taken back; or it is a labelled one that another writer suspended. */
const isStopped = (run: BatchJob): boolean =>
  run.isSuspended &&
  run.end === undefined &&
  run.grant !== undefined &&
  (isTakenBack(run) || run.swarmJobUid === undefined);
