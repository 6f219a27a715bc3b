// Which objects does each job of a namespace have? Its batch Jobs, and its pods that have not
// ended.
import type { BatchJob } from '../api/batch-job.ts';
import type { JobPod } from '../api/job-pod.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import { hasEnded } from '../api/swarm-job.ts';
import type { SwarmJob } from '../api/validate.ts';
import type { QueueWorld } from './world.ts';

/** `runs` are the job's batch Jobs, `pods` those that have not ended. */
export type Parts = { readonly runs: readonly BatchJob[]; readonly pods: readonly JobPod[] };

export const nothing: Parts = { runs: [], pods: [] };

/** Omits ended jobs without any such object: there may be thousands. */
export function partsByJob(
  { runs, pods: all, jobs }: QueueWorld,
  entries: readonly LedgerEntry[],
): ReadonlyMap<string, Parts> {
  const pods = all.filter((pod) => !pod.hasEnded);
  const alive = new Set(pods.map(({ jobUid }) => jobUid));
  const ended = new Set(jobs.flatMap((job) => (hasEnded(job) ? [job.meta.uid] : [])));
  const parts = new Map<string, { readonly runs: BatchJob[]; readonly pods: JobPod[] }>();
  const of = (uid: string) => {
    const found = parts.get(uid) ?? { runs: [], pods: [] };
    parts.set(uid, found);
    return found;
  };
  // A labelled batch Job is its own job; its ledger entry names it even after it was deleted.
  const owners = new Map(entries.map(({ uid }) => [uid, uid]));
  for (const run of runs) {
    const isPlain = run.queue !== undefined || owners.has(run.uid);
    const owner = run.swarmJobUid ?? (isPlain ? run.uid : undefined);
    if (owner === undefined) continue;
    const isPast = run.end !== undefined && (owner === run.uid || ended.has(owner));
    if (isPast && !owners.has(owner) && !alive.has(run.uid)) continue;
    of(owner).runs.push(run);
    owners.set(run.uid, owner);
  }
  for (const pod of pods) {
    const { jobUid, orphanOf, swarmJobUid } = pod;
    const uid =
      owners.get(jobUid ?? '') ??
      swarmJobUid ??
      (orphanOf === undefined ? undefined : ownerNamed(orphanOf, runs, entries, owners));
    if (uid !== undefined) of(uid).pods.push(pod);
  }
  return parts;
}

/** The owner of a pod that has lost its owner reference and the UID of its job. */
const ownerNamed = (
  name: string,
  runs: readonly BatchJob[],
  entries: readonly LedgerEntry[],
  owners: ReadonlyMap<string, string>,
): string | undefined =>
  owners.get(runs.find((run) => run.name === name)?.uid ?? '') ??
  entries.find((entry) => entry.name === name)?.uid;

export const nameOf = (
  job: SwarmJob | undefined,
  runs: readonly BatchJob[],
  pod: JobPod | undefined,
): string => job?.meta.name ?? runs[0]?.name ?? pod?.jobName ?? pod?.name ?? '';
