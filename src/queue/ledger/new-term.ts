// What does a new leader write first? The entries of the ledger under its own epoch; where the
// ledger is lost or was edited, an entry for each job that runs, too.
import type { BatchJob } from '../../api/batch-job.ts';
import type { LedgerContents, LedgerEntry, QueueLedger } from '../../api/ledger.ts';
import { timeText } from '../../core/text.ts';
import { claimOf, entryOf, waitingJob } from '../jobs.ts';
import { plainClaim } from '../plain-jobs.ts';
import type { QueueWorld } from '../world.ts';

/** Nothing that another leader decided can be written to it any more. */
export const isOfThisTerm = (
  world: QueueWorld,
): world is QueueWorld & { readonly ledger: QueueLedger } =>
  world.ledger?.epoch === world.epoch && !world.ledger.isEdited;

export function ledgerOfNewTerm(world: QueueWorld, now: number): LedgerContents {
  const { ledger, epoch, runs } = world;
  const kept = ledger?.entries ?? [];
  const isWhole = ledger !== undefined && !ledger.isEdited;
  const known = new Set(kept.map(({ uid }) => uid));
  const found = isWhole
    ? []
    : runs.filter(isGranted).flatMap((run) => {
        const uid = run.swarmJobUid ?? run.uid;
        if (known.has(uid)) return [];
        known.add(uid);
        return entryFor(world, run, now);
      });
  const entries = [...kept, ...found];
  const grants = [...runs, ...entries].map(({ grant }) => grant ?? 0).filter(isPossible);
  // Above whatever was given, and even.
  const least = grants.reduce((most, grant) => Math.max(most, grant + 2), ledger?.nextGrant ?? 2);
  return { epoch, nextGrant: least + (least % 2), entries };
}

/** Whoever may write batch Jobs may write a number on one; no ledger ever counts so far. */
const isPossible = (grant: number): boolean => grant < 1e12;

/** It may run, or may be started by a patch that is under way: its number was not taken back. */
const isGranted = ({ grant, end, isDeleting }: BatchJob): boolean =>
  grant !== undefined && grant % 2 === 0 && end === undefined && !isDeleting;

function entryFor(world: QueueWorld, run: BatchJob, now: number): readonly LedgerEntry[] {
  const job = world.jobs.find(({ meta }) => meta.uid === run.swarmJobUid);
  const claim = job?.spec.ok === true ? claimOf(job, job.spec.value, now) : plainClaim(run);
  if (claim === undefined) return [];
  const queues = new Map(world.queues.map((queue) => [queue.meta.name, queue]));
  const around = { queues, quotas: [], defaults: world.podDefaults };
  const time = job?.status?.admission?.time ?? timeText(now);
  return [entryOf(waitingJob(claim, around), run.grant ?? 0, time)];
}
