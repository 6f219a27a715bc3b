// What is the world of one job? Collected from caches at one moment; changes and decides nothing.
import type { JobPod } from '../api/job-pod.ts';
import { isOlderThan, type QueueLedger } from '../api/ledger.ts';
import type { SwarmJob } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { entriesOf } from '../core/ledgers.ts';
import type { Verdict } from '../core/queued-jobs.ts';
import { type Age, measureAges } from '../core/state-ages.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KnownBatchJobs } from '../runtime/store/batch-jobs.ts';
import { startingSince } from './attempt/start-time.ts';
import { hostsName } from './make/hosts.ts';
import { takenText } from './make/objects.ts';
import type { JobCaches, OwnedChild } from './observe/caches.ts';
import { firstFailure } from './observe/creations.ts';
import type { JobWorld, QueueSays, RememberedJob } from './world.ts';

/** The caches, reduced to methods that change nothing. */
type JobSources = {
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
  readonly batchJobs: Pick<KnownBatchJobs, 'get' | 'orphansOf' | 'podsOf'>;
  readonly caches: {
    readonly [Name in 'hosts' | 'queues' | 'services']: Pick<JobCaches[Name], 'get'>;
  };
};

type Before = {
  readonly isGone: boolean;
  readonly isUnreported: boolean;
  readonly ledger: QueueLedger | undefined;
  /** The epoch of this term. */
  readonly epoch: string | undefined;
  readonly isOutdated: boolean;
  /** The pods as the API server has them; undefined: the pods that the watch has reported. */
  readonly pods: readonly JobPod[] | undefined;
  /** Why the pod of a rank could not be created, by rank. */
  readonly creationFailures: ReadonlyMap<string, string>;
  readonly waits: Verdict | undefined;
  readonly remembered: RememberedJob;
  readonly refused: Refusal | undefined;
};

export function observeJob(sources: JobSources, job: SwarmJob, before: Before): JobWorld {
  const { clock, batchJobs, caches } = sources;
  const { isGone, isUnreported, creationFailures, waits, remembered, refused } = before;
  const { name, namespace, uid } = job.meta;
  const monotonicMs = clock.monotonic();
  const { ages, states } = measureAges(remembered.ages, monotonicMs, (age) => agesOf(job, age));
  const named = batchJobs.get({ namespace, name });
  const service = caches.services.get({ namespace, name });
  const hosts = caches.hosts.get({ namespace, name: hostsName(name) });
  const isOwn = (child: OwnedChild | undefined): boolean => child?.ownerUid === uid;
  const isOwnJob = named?.swarmJobUid === uid;
  const isLedgerOld =
    isOwnJob &&
    before.ledger !== undefined &&
    isOlderThan(before.ledger, named?.grant, clock.now());
  const ledger = isLedgerOld ? undefined : before.ledger;
  return {
    kind: 'SwarmJob',
    job,
    isGone,
    isUnreported,
    isLedgerKnown: ledger !== undefined,
    isOutdated: before.isOutdated,
    isOfThisTerm: ledger !== undefined && ledger.epoch === before.epoch,
    entry: ledger && entriesOf(ledger).get(uid),
    waits,
    batchJob: isOwnJob ? named : undefined,
    pods: before.pods ?? [
      ...(named !== undefined && isOwnJob ? batchJobs.podsOf(named) : []),
      ...batchJobs.orphansOf({ namespace, name }),
    ],
    podRefusal: firstFailure(creationFailures),
    service: isOwn(service) ? service : undefined,
    hosts: isOwn(hosts) ? hosts : undefined,
    taken: [
      ...(named !== undefined && !isOwnJob ? [takenText('Job', name)] : []),
      ...(isGang(job) && service !== undefined && !isOwn(service)
        ? [takenText('Service', name)]
        : []),
      ...(isGang(job) && hosts !== undefined && !isOwn(hosts)
        ? [takenText('ConfigMap', hosts.name)]
        : []),
    ],
    queue: queueOf(sources, job),
    ...ages,
    remembered: { ...remembered, ages: states },
    monotonicMs,
    refused,
  };
}

export function agesOf(job: SwarmJob, age: Age): Pick<JobWorld, 'startingMs' | 'statusMs'> {
  const { readyRanks, endedRanks, size, message } = job.status ?? {};
  const since = startingSince(job);
  return {
    statusMs: age('status', JSON.stringify([readyRanks, endedRanks, size, message])),
    startingMs: since === undefined ? 0 : age('starting', since),
  };
}

const isGang = ({ spec }: SwarmJob): boolean => spec.ok && spec.value.size > 1;

function queueOf({ caches }: JobSources, { meta, spec }: SwarmJob): QueueSays {
  if (!spec.ok) return {};
  return caches.queues.get({ namespace: meta.namespace, name: spec.value.queueName }) ?? {};
}
