// What does a new leader write first? The entries of the ledger under its own epoch. Where the
// ledger is lost, was edited or restored from an earlier text: what was granted in this term, or in
// a new one an entry for each job that runs.
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

/** Nothing that another leader decided can be written to it any more. */
export const isOfThisTerm = (
  world: QueueWorld,
  now: number,
): world is QueueWorld & { readonly ledger: QueueLedger } =>
  world.ledger?.epoch === world.epoch && isWhole(world, now);

/** As an operator wrote it last. */
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
 * A user may write any number on a Job that waits by its label, and a start that is on its way to
 * it writes another: such a number is no grant.
 */
const isByQueue = ({ swarmJobUid, isSuspended }: BatchJob): boolean =>
  swarmJobUid !== undefined || !isSuspended;

/** Where nothing is known of what was granted, numbers on batch Jobs are believed. */
function entriesOfRuns(world: QueueWorld, now: number): readonly LedgerEntry[] {
  const granted = new Map(
    world.runs
      .filter((run) => isByQueue(run) && isGranted(run) && isPossible(run.grant ?? 0, now))
      .map((run): [string, BatchJob] => [run.swarmJobUid ?? run.uid, run]),
  );
  return [...granted.values()].flatMap((run) => entryFor(world, run, now));
}

/** It may run, or may be started by a patch that is under way: its number was not taken back. */
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

/** Its label may have been changed since it was admitted. */
function admittedClaim(run: BatchJob): Claim | undefined {
  const claim = plainClaim(run);
  return claim && { ...claim, queue: run.admittedQueue ?? claim.queue };
}
