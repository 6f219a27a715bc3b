// What does each job that is in use hold, and until when at the latest? Kubernetes ends a batch Job
// at its deadline.
import type { BatchJob } from '../../api/batch-job.ts';
import { entryBytes, type LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { larger, sum } from '../../core/amounts.ts';
import { boundOfQueue, boundOfResourceQuota, LEDGER } from '../admit.ts';
import { claimIn, type DesiredQueues } from '../desired-state.ts';
import { nothing, type Parts } from '../parts.ts';
import { isJobOver } from '../quota/held.ts';
import { podCharges } from '../quota/resource-quotas.ts';
import type { LivingPods, QueueWorld } from '../world.ts';
import { type Demand, demandFor } from './room.ts';
import type { Holding, Until } from './when-free.ts';

type InUse = Holding & { readonly uid: string };

/** Jobs that this pass admits are left out: they hold nothing yet. */
export function holdingsIn(
  world: QueueWorld,
  { facts, parts, ledger }: DesiredQueues,
  now: number,
): readonly InUse[] {
  const entries = new Map(ledger.entries.map((entry) => [entry.uid, entry]));
  const jobs = new Map(world.jobs.map((job) => [job.meta.uid, job]));
  const living = Map.groupBy(facts.living, ({ uid }) => uid);
  const admitted = new Map(facts.admitted.map((job) => [job.uid, job]));
  return [...new Set([...admitted.keys(), ...living.keys()])].map((uid) => {
    const job = jobs.get(uid);
    const own = parts.get(uid) ?? nothing;
    const granted = admitted.get(uid);
    const entry = granted && entries.get(uid);
    const alive = living.get(uid) ?? [];
    const [first] = alive;
    const name = granted?.name ?? first?.name ?? '';
    const queue = granted?.queue ?? first?.queue ?? '';
    const amounts = larger([
      granted?.requests ?? new Map(),
      sum(alive.map(({ requests }) => requests)),
    ]);
    const holds = [
      ...demandsFor(boundOfQueue(queue), amounts),
      ...(entry === undefined ? [] : chargesIn(world, job, own)),
      ...(entry === undefined ? [] : [demandFor(LEDGER, 'bytes', BigInt(entryBytes(entry)))]),
    ];
    return { uid, holds, until: untilOf(name, { world, job, own, entry, alive }, now) };
  });
}

const demandsFor = (bound: string, amounts: ReadonlyMap<string, bigint>): readonly Demand[] =>
  [...amounts].map(([resource, amount]) => demandFor(bound, resource, amount));

/** What ResourceQuotas get back when the job ends: its pods. Its other objects stay. */
function chargesIn(
  { resourceQuotas, podDefaults }: QueueWorld,
  job: SwarmJob | undefined,
  { runs }: Parts,
): readonly Demand[] {
  const claim = claimIn(job, runs[0]);
  if (claim === undefined || isJobOver(job, runs)) return [];
  return resourceQuotas.flatMap((quota) =>
    demandsFor(
      boundOfResourceQuota(quota.name),
      podCharges(claim.podSpec, claim.size, quota, podDefaults),
    ),
  );
}

type Known = {
  readonly world: QueueWorld;
  readonly job: SwarmJob | undefined;
  readonly own: Parts;
  readonly entry: LedgerEntry | undefined;
  readonly alive: readonly LivingPods[];
};

function untilOf(name: string, { world, job, own, entry, alive }: Known, now: number): Until {
  const { runs } = own;
  if (isJobOver(job, runs))
    return alive.length === 0
      ? { ms: 0 }
      : { unknown: `pods of job ${name}, which is over, have not ended` };
  const run = runs.find((it) => entry === undefined || it.grant === entry.grant);
  const seconds = run === undefined ? deadlineOf(world, job) : run.deadlineSeconds;
  if (seconds === undefined) return { unknown: `job ${name} has no deadline` };
  const startedMs = run === undefined ? now : startOf(run, now);
  return { ms: Math.max(0, startedMs + seconds * 1000 - now) };
}

const startOf = ({ isSuspended, startedMs }: BatchJob, now: number): number =>
  isSuspended ? now : (startedMs ?? now);

/** The deadline of a job without a batch Job. The time of earlier attempts is not deducted. */
function deadlineOf(world: QueueWorld, job: SwarmJob | undefined): number | undefined {
  if (job?.spec.ok !== true) return undefined;
  const { queueName, activeDeadlineSeconds } = job.spec.value;
  const queue = world.queues.find(({ meta }) => meta.name === queueName);
  const defaults = queue?.spec.ok === true ? queue.spec.value.jobDefaults : undefined;
  return activeDeadlineSeconds ?? defaults?.activeDeadlineSeconds;
}
