// Which resources does each job in use occupy, and by when does it free them? Kubernetes ends a
// batch Job at its deadline.
import type { BatchJob } from '../../api/batch-job.ts';
import { entryBytes, type LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { larger, sum } from '../../core/amounts.ts';
import type { InUse } from '../admit.ts';
import { endOf } from '../end.ts';
import { claimIn, claimOf } from '../jobs.ts';
import { nothing, type Parts } from '../parts.ts';
import { isJobOver } from '../quota/held.ts';
import { podCharges } from '../quota/resource-quotas.ts';
import type { LivingPods, NamespaceWorld, QueueWorld } from '../world.ts';
import { boundOfQueue, boundOfResourceQuota, boundOfUser, LEDGER } from './bounds.ts';
import { endsInMs } from './durations.ts';
import { type Demand, demandFor } from './free-quota.ts';
import type { Until } from './when-free.ts';

type Admitted = {
  readonly facts: NamespaceWorld;
  readonly parts: ReadonlyMap<string, Parts>;
  readonly entries: readonly LedgerEntry[];
  readonly userOf: (uid: string) => string;
};

/** Omits the jobs that this pass admits: they occupy nothing yet. */
export function holdingsIn(
  world: QueueWorld,
  { facts, parts, entries: all, userOf }: Admitted,
  now: number,
): readonly InUse[] {
  const entries = new Map(all.map((entry) => [entry.uid, entry]));
  const jobs = new Map(world.jobs.map((job) => [job.meta.uid, job]));
  const living = Map.groupBy(facts.living, ({ uid }) => uid);
  const perUser = new Set(facts.ofUsers.map(({ queue }) => queue));
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
      ...(perUser.has(queue) ? demandsFor(boundOfUser(queue, userOf(uid)), amounts) : []),
      ...(entry === undefined ? [] : chargesIn(world, job, own)),
      ...(entry === undefined ? [] : [demandFor(LEDGER, 'bytes', BigInt(entryBytes(entry)))]),
    ];
    const known = { world, job, own, entry, alive, startsInMs: facts.startsInMs };
    return { uid, holds, until: untilOf(name, known, now) };
  });
}

const demandsFor = (bound: string, amounts: ReadonlyMap<string, bigint>): readonly Demand[] =>
  [...amounts].map(([resource, amount]) => demandFor(bound, resource, amount));

/** A job that ends gives back only what its pods take of ResourceQuotas: its other objects stay. */
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
  readonly startsInMs: number;
};

function untilOf(name: string, known: Known, now: number): Until {
  const { world, job, own, entry, alive, startsInMs } = known;
  const { runs } = own;
  if (isJobOver(job, runs))
    return alive.length === 0
      ? { ms: 0 }
      : { unknown: `pods of job ${name}, which is over, have not ended` };
  if (entry?.preempted !== undefined) {
    const ms =
      Date.parse(entry.preempted.time) + WHOLE_SECOND_MS + toldEndsInMs(job, runs[0]) - now;
    return ms > 0
      ? { ms }
      : { unknown: `pods of job ${name}, which was told to end, have not ended` };
  }
  const run = runs.find((it) => entry === undefined || it.grant === entry.grant);
  const { deadlineSeconds, endsInMs } =
    run === undefined ? endWithoutRun(world, job) : endOfRun(run, job);
  if (deadlineSeconds === undefined) return { unknown: `job ${name} has no deadline` };
  const startedMs = run && startOf(run);
  const beginsMs = startedMs === undefined ? now + startsInMs : startedMs + WHOLE_SECOND_MS;
  const ms = beginsMs + deadlineSeconds * 1000 + endsInMs - now;
  if (ms <= 0 && alive.length > 0)
    return { unknown: `pods of job ${name} have not ended after its deadline` };
  return { ms: Math.max(0, ms) };
}

/** If the job has a signal before its deadline, the signal time is the grace period of its pods. */
function toldEndsInMs(job: SwarmJob | undefined, run: BatchJob | undefined): number {
  const { signalSeconds = 0 } = run ?? {};
  return signalSeconds * 1000 + endsInMs(Object(claimIn(job, run)?.podSpec), signalSeconds);
}

/** Times of batch Jobs are whole seconds. */
const WHOLE_SECOND_MS = 1_000;

const startOf = ({ isSuspended, startedMs }: BatchJob): number | undefined =>
  isSuspended ? undefined : startedMs;

type End = { readonly deadlineSeconds: number | undefined; readonly endsInMs: number };

/** If the job has a signal, the deadline of its batch Job is the time of the signal. */
function endOfRun(run: BatchJob, job: SwarmJob | undefined): End {
  const { deadlineSeconds, signalSeconds = 0 } = run;
  const podSpec = Object(claimIn(job, run)?.podSpec);
  return {
    deadlineSeconds: deadlineSeconds && deadlineSeconds + signalSeconds,
    endsInMs: endsInMs(podSpec, signalSeconds),
  };
}

/** The end of a job without a batch Job. The time of earlier attempts is not deducted. */
function endWithoutRun(world: QueueWorld, job: SwarmJob | undefined): End {
  if (job?.spec.ok !== true) return { deadlineSeconds: undefined, endsInMs: 0 };
  const { queueName } = job.spec.value;
  const queue = world.queues.find(({ meta }) => meta.name === queueName);
  const jobDefaults = queue?.spec.ok === true ? queue.spec.value.jobDefaults : {};
  return endOf(claimOf(job, job.spec.value, 0), jobDefaults);
}
