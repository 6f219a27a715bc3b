// What is the world of one namespace's queues? Read from caches at one moment; decides nothing.
import type { QueueLedger } from '../api/ledger.ts';
import type { Ref } from '../api/objects.ts';
import type { Refusal } from '../core/decision.ts';
import { measureAges } from '../core/state-ages.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KnownBatchJobs } from '../runtime/store/batch-jobs.ts';
import type { QueueCaches } from './observe/caches.ts';
import type { QueueWorld, RememberedQueues } from './world.ts';

type QueueSources = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly batchJobs: KnownBatchJobs;
  readonly caches: QueueCaches;
};

type Before = {
  readonly epoch: string;
  readonly ledgerRef: Ref;
  readonly ledger: QueueLedger | undefined;
  readonly remembered: RememberedQueues;
  readonly refused: Refusal | undefined;
};

export function observeQueues(
  { clock, batchJobs, caches }: QueueSources,
  namespace: string,
  { remembered, ...before }: Before,
): QueueWorld {
  const monotonicMs = clock.monotonic();
  const queues = [...caches.queues.by('namespace', namespace)];
  const { ages, states } = measureAges(
    remembered.ages,
    monotonicMs,
    (age) =>
      new Map(
        queues.map(({ meta, status }) => [
          meta.name,
          age(meta.name, JSON.stringify([status?.pending, status?.running, status?.usage])),
        ]),
      ),
  );
  return {
    kind: 'SwarmQueue',
    namespace,
    ...before,
    queues,
    jobs: caches.jobs.by('namespace', namespace),
    runs: batchJobs.in(namespace),
    pods: batchJobs.podsIn(namespace),
    resourceQuotas: caches.resourceQuotas.by('namespace', namespace),
    containerDefaults: caches.defaultsIn(namespace),
    statusMs: ages,
    remembered: { ...remembered, ages: states },
    monotonicMs,
  };
}
