// What does a new leader write first? The entries of the ledger under its own epoch. Where the
// ledger is lost, was edited or restored from an earlier text: what was granted in this term, or in
// a new one an entry for each job that runs.
import type { BatchJob } from '../../api/batch-job.ts';
import {
  isOlderThan,
  isPossible,
  type LedgerContents,
  type LedgerEntry,
  type QueueLedger,
} from '../../api/ledger.ts';
import { timeText } from '../../core/text.ts';
import { type Claim, claimOf, entryOf, waitingJob } from '../jobs.ts';
import { plainClaim } from '../plain-jobs.ts';
import type { QueueWorld } from '../world.ts';

/** Nothing that another leader decided can be written to it any more. */
export const isOfThisTerm = (
  world: QueueWorld,
): world is QueueWorld & { readonly ledger: QueueLedger } =>
  world.ledger?.epoch === world.epoch && isWhole(world);

/** As an operator wrote it last. */
const isWhole = ({ ledger, runs }: QueueWorld): boolean =>
  ledger !== undefined && !ledger.isEdited && !runs.some(({ grant }) => isOlderThan(ledger, grant));

export function ledgerOfNewTerm(world: QueueWorld, now: number): LedgerContents {
  const { ledger, epoch, runs, remembered } = world;
  const known = remembered.ledger?.epoch === epoch ? remembered.ledger : undefined;
  const lastKnown = isWhole(world) ? ledger : known;
  const entries = lastKnown?.entries ?? entriesOfRuns(world, now);
  const grants = [...runs, ...entries].map(({ grant }) => grant ?? 0).filter(isPossible);
  // Above whatever was given, and even.
  const least = grants.reduce(
    (most, grant) => Math.max(most, grant + 2),
    Math.max(ledger?.nextGrant ?? 2, known?.nextGrant ?? 2),
  );
  return { epoch, nextGrant: least + (least % 2), entries };
}

/** Where nothing is known of what was granted, numbers on batch Jobs are believed. */
function entriesOfRuns(world: QueueWorld, now: number): readonly LedgerEntry[] {
  const granted = new Map(
    world.runs
      .filter(isGranted)
      .map((run): [string, BatchJob] => [run.swarmJobUid ?? run.uid, run]),
  );
  return [...granted.values()].flatMap((run) => entryFor(world, run, now));
}

/** It may run, or may be started by a patch that is under way: its number was not taken back. */
const isGranted = ({ grant, end, isDeleting }: BatchJob): boolean =>
  grant !== undefined && grant % 2 === 0 && end === undefined && !isDeleting;

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
