// Which jobs wait for admission, and what does each ask for?
import type { BatchJob } from '../api/batch-job.ts';
import { entryBytes, type LedgerEntry } from '../api/ledger.ts';
import { backsOffForMs, hasEnded, notSupported, podSpecOf, queuedAtMs } from '../api/swarm-job.ts';
import type { SwarmJob, SwarmJobSpec, SwarmQueue } from '../api/validate.ts';
import { type Amounts, sum } from '../core/amounts.ts';
import { memoize } from '../core/memoize.ts';
import { type ContainerDefaults, requestsOf } from '../core/pod-requests.ts';
import { totalOf } from './quota/never.ts';
import { missingFor, objectCharges, podCharges } from './quota/resource-quotas.ts';
import { quantitiesOf } from './quota/text.ts';
import type { NamespaceQuota, WaitingJob } from './world.ts';

/**
 * Without an entry. Its status says that it waits, or it is new: in any other state it is still
 * being followed to an end.
 */
export function mayBeAdmitted(job: SwarmJob, runs: readonly BatchJob[]): boolean {
  const { meta, spec, status } = job;
  if (!spec.ok || meta.isDeleting || spec.value.suspend || hasEnded(job)) return false;
  if (notSupported(spec.value) !== undefined) return false;
  if (status?.state === undefined) return runs.length === 0;
  return (
    status.state === 'Waiting' && runs.every((run) => run.isSuspended || run.end !== undefined)
  );
}

/** What decides over a waiting job besides itself. */
type Surroundings = {
  readonly queues: ReadonlyMap<string, SwarmQueue>;
  readonly quotas: readonly NamespaceQuota[];
  readonly defaults: ContainerDefaults;
};

export function waitingJob(job: SwarmJob, spec: SwarmJobSpec, around: Surroundings, now: number) {
  const { uid, name } = job.meta;
  const { spec: queue } = around.queues.get(spec.queueName) ?? {};
  const defaults = queue?.ok === true ? queue.value.jobDefaults : undefined;
  const perPod = perPodOf(around.defaults)(spec);
  const waiting: WaitingJob = {
    uid,
    name,
    queue: spec.queueName,
    createdMs: queuedAtMs(job),
    priority: spec.priority ?? defaults?.priority ?? 0,
    deadlineSeconds: spec.activeDeadlineSeconds ?? defaults?.activeDeadlineSeconds,
    size: spec.size,
    perPod,
    charges: chargesOf(spec, around),
    missing: around.quotas.flatMap((quota) => {
      const field = missingFor(spec, quota, around.defaults);
      return field === undefined ? [] : [{ quota: quota.name, field }];
    }),
    backsOffForMs: backsOffForMs(job, now),
    entryBytes: 0,
  };
  return { ...waiting, entryBytes: entryBytes(entryOf(waiting, LONGEST_GRANT, LONGEST_TIME)) };
}

/** For the length of an entry that is not written yet. */
const LONGEST_GRANT = Number.MAX_SAFE_INTEGER;
const LONGEST_TIME = '2026-01-01T00:00:00Z';

export const entryOf = (
  job: Pick<WaitingJob, 'uid' | 'name' | 'queue' | 'size' | 'perPod'>,
  grant: number,
  time: string,
): LedgerEntry => {
  const { uid, name, queue, size } = job;
  return { uid, name, queue, size, requests: quantitiesOf(totalOf(job)), grant, time };
};

/** Of one pod. */
export const perPodOf = memoize((defaults: ContainerDefaults) =>
  memoize((spec: SwarmJobSpec): Amounts => requestsOf(podSpecOf(spec), defaults)),
);

/** By ResourceQuota: for all that the job makes. */
export function chargesOf(
  spec: SwarmJobSpec,
  { quotas, defaults }: Pick<Surroundings, 'defaults' | 'quotas'>,
): ReadonlyMap<string, Amounts> {
  const podSpec = quotas.length === 0 ? undefined : podSpecOf(spec);
  return new Map(
    quotas.map((quota) => [
      quota.name,
      sum([podCharges(podSpec, spec.size, quota, defaults), objectCharges(spec, quota)]),
    ]),
  );
}
