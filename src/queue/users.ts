// Which user does a job belong to? A queue may limit each user's part of its quota.
import type { BatchJob } from '../api/batch-job.ts';
import { fingerprint } from '../api/fingerprint.ts';
import { userIn } from '../api/job-user.ts';
import type { LedgerEntry } from '../api/ledger.ts';
import type { SwarmJob } from '../api/validate.ts';

/** The longest name of a ServiceAccount with its namespace. */
const LONGEST_NAME = 340;
const KEPT_OF_LONGER = 100;

/** A digest stands for a longer name: thousands of jobs may have one. */
export const userKey = (name: string): string =>
  name.length <= LONGEST_NAME ? name : `${name.slice(0, KEPT_OF_LONGER)}…${fingerprint(name)}`;

export const userOfSwarmJob = ({ meta }: SwarmJob): string => userKey(userIn(meta.annotations));
export const userOfRun = ({ user }: BatchJob): string => userKey(user);

type Known = {
  readonly jobs: ReadonlyMap<string, SwarmJob>;
  readonly plain: ReadonlyMap<string, BatchJob>;
};

/** The user that an existing job names; undefined: there is no such job. */
function userIfPresent(uid: string, { jobs, plain }: Known): string | undefined {
  const job = jobs.get(uid);
  const run = plain.get(uid);
  return (job && userOfSwarmJob(job)) ?? (run && userOfRun(run));
}

/** Pods may outlive their job: then its ledger entry names the user. */
export function usersIn(entries: readonly LedgerEntry[], known: Known): (uid: string) => string {
  const users = new Map(entries.map(({ uid, user = '' }) => [uid, user]));
  return (uid) => userIfPresent(uid, known) ?? users.get(uid) ?? '';
}

/** An administrator may have changed the annotation since the job was admitted. */
export const withUsers = (entries: readonly LedgerEntry[], known: Known): readonly LedgerEntry[] =>
  entries.map((entry) => {
    const user = userIfPresent(entry.uid, known);
    return user === undefined || user === (entry.user ?? '') ? entry : { ...entry, user };
  });
