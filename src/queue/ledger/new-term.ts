// What does a new leader write first? The entries of the ledger under its own epoch. If the ledger
// was lost, edited or restored from an earlier version: the entries that this leader wrote last, or
// in a new term an entry for each job that runs.
import type { BatchJob } from '../../api/batch-job.ts';
import { FIRST_GRANT, grantAfter, grantAt, grantFrom, takesBack } from '../../api/grants.ts';
import {
  isOlderThan,
  isPossible,
  type LedgerContents,
  type LedgerEntry,
  type QueueLedger,
} from '../../api/ledger.ts';
import { timeText } from '../../core/text.ts';
import { type Claim, claimOf, entryOf, waitingJob } from '../jobs.ts';
import { plainClaim } from '../labelled/plain-jobs.ts';
import type { QueueWorld } from '../world.ts';

/** The ledger has this leader's epoch, so no late write of another leader succeeds. */
export const isOfThisTerm = (
  world: QueueWorld,
  now: number,
): world is QueueWorld & { readonly ledger: QueueLedger } =>
  world.ledger?.epoch === world.epoch && isWhole(world, now);

/** The ledger is as an operator last wrote it. */
const isWhole = ({ ledger, runs }: QueueWorld, now: number): boolean =>
  ledger !== undefined &&
  !ledger.isEdited &&
  !runs.filter(isByQueue).some(({ grant }) => isOlderThan(ledger, grant, now));

export function ledgerOfNewTerm(world: QueueWorld, now: number): LedgerContents {
  const { ledger, epoch, remembered } = world;
  const known = remembered.ledger?.epoch === epoch ? remembered.ledger : undefined;
  if (ledger !== undefined && isWhole(world, now)) return { ...contentsOf(ledger), epoch };
  const entries = known?.entries ?? entriesOfRuns(world, now);
  const given = [ledger, known].map((it) => it?.nextGrant ?? 0);
  const isFirst = ledger === undefined && !world.runs.some(hasGrant);
  const least = [...given, ...entries.map(({ grant }) => grantAfter(grant))]
    .filter((grant) => isPossible(grant, now))
    .reduce((a, b) => Math.max(a, b), isFirst ? FIRST_GRANT : grantAt(now));
  return { epoch, nextGrant: grantFrom(least), entries };
}

const hasGrant = (run: BatchJob): boolean => isByQueue(run) && run.grant !== undefined;

const contentsOf = ({ epoch, nextGrant, entries }: LedgerContents): LedgerContents => ({
  epoch,
  nextGrant,
  entries,
});

/**
 * A user may write any number on a suspended labelled Job, and a start that is on its way writes
 * another one: such a number is no grant.
 */
const isByQueue = ({ swarmJobUid, isSuspended }: BatchJob): boolean =>
  swarmJobUid !== undefined || !isSuspended;

/** Without any record of the grants, the numbers on batch Jobs count. */
function entriesOfRuns(world: QueueWorld, now: number): readonly LedgerEntry[] {
  const granted = new Map(
    world.runs
      .filter((run) => isByQueue(run) && isGranted(run) && isPossible(run.grant ?? 0, now))
      .map((run): [string, BatchJob] => [run.swarmJobUid ?? run.uid, run]),
  );
  return [...granted.values()].flatMap((run) => entryFor(world, run, now));
}

/**
 * The batch Job may run, or a start that is under way may start it: its grant was not taken back.
 */
const isGranted = ({ grant, end, isDeleting }: BatchJob): boolean =>
  grant !== undefined && !takesBack(grant) && end === undefined && !isDeleting;

function entryFor(world: QueueWorld, run: BatchJob, now: number): readonly LedgerEntry[] {
  const job = world.jobs.find(({ meta }) => meta.uid === run.swarmJobUid);
  const claim = job?.spec.ok === true ? claimOf(job, job.spec.value, now) : admittedClaim(run);
  if (claim === undefined) return [];
  const queues = new Map(world.queues.map((queue) => [queue.meta.name, queue]));
  const around = { queues, quotas: [], defaults: world.podDefaults };
  const time = job?.status?.admission?.time ?? timeText(now);
  return [entryOf(waitingJob(claim, around), run.grant ?? 0, time)];
}

/** The label may have changed since the Job was admitted. */
function admittedClaim(run: BatchJob): Claim | undefined {
  const claim = plainClaim(run);
  return claim && { ...claim, queue: run.admittedQueue ?? claim.queue };
}
