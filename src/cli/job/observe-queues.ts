// What is the world of the queues of a namespace right now, and what would the operator decide?
// Observed once, into the operator's own caches; nothing is written.
import type { BatchJob } from '../../api/batch-job.ts';
import { grantAfter, grantOf, takesBack } from '../../api/grants.ts';
import { type Kind, kinds } from '../../api/kinds.ts';
import type { LedgerContents, LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { computeDesiredState, type DesiredQueues } from '../../queue/desired-state.ts';
import { ledgerOfNewTerm } from '../../queue/ledger/new-term.ts';
import { QueueCaches } from '../../queue/observe/caches.ts';
import { observeQueues } from '../../queue/observe.ts';
import { nothingRemembered, type QueueWorld } from '../../queue/world.ts';
import type { Change } from '../../runtime/client/api.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { systemClock } from '../../runtime/clock.ts';
import { BatchJobs } from '../../runtime/store/batch-jobs.ts';
import { listObjects } from '../cluster/connect.ts';
import type { Source } from '../cluster/observe-pool.ts';

export type DecidedQueues = {
  readonly world: QueueWorld;
  readonly desired: DesiredQueues;
  readonly now: number;
};

export async function decideQueues(
  source: Pick<Source, 'list'>,
  namespace: string,
  now: number,
): Promise<DecidedQueues> {
  const world = await readWorld(source, namespace);
  return { world, desired: computeDesiredState(world, grantsIn(world, now), now), now };
}

async function readWorld(source: Pick<Source, 'list'>, namespace: string): Promise<QueueWorld> {
  const caches = new QueueCaches();
  const batchJobs = new BatchJobs();
  const cached = [
    [kinds.SwarmQueue, caches.queues],
    [kinds.SwarmJob, caches.jobs],
    [kinds.ResourceQuota, caches.resourceQuotas],
    [kinds.LimitRange, caches.limitRanges],
  ] as const;
  await Promise.all([
    ...cached.map(async ([kind, cache]) => {
      for (const object of await listObjects(source, kind, namespace))
        cache.apply({ type: 'ADDED', object });
    }),
    ...batchJobs.subscriptions.map(async ({ kind, onChange, slim }) => {
      for (const object of await listObjects(source, kind, namespace))
        onChange({ type: 'ADDED', object: slim?.(object) ?? object });
    }),
    readOfCluster(source, kinds.RuntimeClass, (change) => caches.takeRuntimeClass(change)),
    readOfCluster(source, kinds.PriorityClass, (change) => caches.takePriorityClass(change)),
  ]);
  const world = observeQueues({ clock: systemClock, batchJobs, caches }, namespace, {
    epoch: '',
    ledgerRef: { namespace, name: '' },
    ledger: undefined,
    isOutdated: false,
    remembered: nothingRemembered,
    refused: undefined,
  });
  // Who looks once cannot know for how long a batch Job has been suspended.
  return { ...world, unnotedMs: new Map() };
}

/** A user may have rights in a namespace only: then what these add counts once pods exist. */
async function readOfCluster(
  source: Pick<Source, 'list'>,
  kind: Kind,
  take: (change: Change) => unknown,
): Promise<void> {
  try {
    for (const object of await listObjects(source, kind, undefined))
      take({ type: 'ADDED', object });
  } catch (error) {
    if (!hasCode(error, 'Forbidden', 'NotFound')) throw error;
  }
}

/**
 * What is admitted. The operator's own record is in its namespace, which users need not see: it is
 * made anew from the status of jobs and from what runs, as the operator does when it is lost.
 */
function grantsIn(world: QueueWorld, now: number): LedgerContents {
  const admitted = world.jobs.flatMap((job) => entryInStatus(job, world.runs));
  const known = new Set(admitted.map(({ uid }) => uid));
  const running = ledgerOfNewTerm({ ...world, runs: world.runs.map(asAdmitted) }, now);
  return {
    ...running,
    entries: [...admitted, ...running.entries.filter(({ uid }) => !known.has(uid))],
    nextGrant: admitted.reduce(
      (most, { grant }) => Math.max(most, grantAfter(grant)),
      running.nextGrant,
    ),
  };
}

/** One that was made smaller while it runs keeps its quota. */
const asAdmitted = (run: BatchJob): BatchJob => {
  const { parallelism, admittedPods = 0 } = run;
  return admittedPods > parallelism ? { ...run, parallelism: admittedPods } : run;
};

function entryInStatus(
  { meta: { uid, name }, status }: SwarmJob,
  runs: readonly BatchJob[],
): readonly LedgerEntry[] {
  if (status?.admission === undefined) return [];
  const grants = runs.filter((it) => it.swarmJobUid === uid).map(({ grant = 0 }) => grant);
  const last = Math.max(0, ...grants);
  // An admitted job whose last grant was taken back has a new one.
  const isNew = takesBack(last) && status.state === 'Admitted';
  const grant = isNew ? grantAfter(grantOf(last)) : grantOf(last);
  return [{ uid, name, ...status.admission, grant }];
}
