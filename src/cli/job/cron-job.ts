// Which CronJob made a batch Job, and what does its policy mean for one that waits?
import type { BatchJob } from '../../api/batch-job.ts';
import { kinds } from '../../api/kinds.ts';
import { asString, dig } from '../../api/objects.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import type { Cluster } from '../cluster/connect.ts';
import { readLabelledJobs } from './labelled.ts';

export type CronJobLink = {
  readonly name: string;
  readonly concurrencyPolicy: string;
  /** How many of its Jobs wait. */
  readonly waiting: number;
};

/** Undefined: no CronJob made it, or the user may not read that one. */
export async function cronJobOf(
  { api }: Pick<Cluster, 'api'>,
  { namespace, cronJob }: BatchJob,
): Promise<CronJobLink | undefined> {
  if (cronJob === undefined) return undefined;
  const { name, uid } = cronJob;
  try {
    const [object, jobs] = await Promise.all([
      api.get(kinds.CronJob, { namespace, name }),
      readLabelledJobs({ api, namespace }, false),
    ]);
    const concurrencyPolicy = asString(dig(object, 'spec', 'concurrencyPolicy')) ?? 'Allow';
    const waiting = jobs.filter((job) => job.cronJob?.uid === uid && job.isSuspended).length;
    return { name, concurrencyPolicy, waiting };
  } catch (error) {
    if (hasCode(error, 'Forbidden', 'NotFound')) return undefined;
    throw error;
  }
}
