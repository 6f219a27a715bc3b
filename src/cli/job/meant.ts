// Which jobs does a command mean, by their names or by their user?
import { type BatchJob, parseBatchJob } from '../../api/batch-job.ts';
import { type Kind, kinds } from '../../api/kinds.ts';
import type { ExactRef } from '../../api/objects.ts';
import { hasEnded } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { CommandError } from '../arguments/command.ts';
import { BATCH } from '../arguments/object-names.ts';
import { type Cluster, readJob, readJobs } from '../cluster/connect.ts';
import {
  type ListedState,
  labelledText,
  listedState,
  reasonText,
  userOf,
} from '../views/job-status.ts';
import { findLabelledJob, readLabelledJob, readLabelledJobs, stateOfLabelled } from './labelled.ts';

type Scope = Pick<Cluster, 'api' | 'namespace'>;

export type MeantJob = {
  readonly kind: Kind;
  readonly ref: ExactRef;
  /** As messages name it: SwarmJob swarm/lammps. */
  readonly what: string;
  readonly state: ListedState;
  /** "AllRanksRunning: 2 of 2 ranks run" */
  readonly why: string;
  readonly hasEnded: boolean;
};

type Found = {
  readonly jobs: readonly MeantJob[];
  /** For each name that is none of a job: why not. */
  readonly problems: readonly string[];
};

/** `batch/NAME` is a batch Job with the label of a queue, NAME a SwarmJob. */
export async function jobsNamed(scope: Scope, names: readonly string[]): Promise<Found> {
  const jobs: MeantJob[] = [];
  const problems: string[] = [];
  for (const name of new Set(names))
    try {
      jobs.push(await jobNamed(scope, name));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      problems.push(error.message);
    }
  return { jobs, problems };
}

async function jobNamed(scope: Scope, name: string): Promise<MeantJob> {
  if (name.startsWith(BATCH)) {
    const object = await readLabelledJob(scope, name.slice(BATCH.length), 'cancel');
    return meantLabelled(parseBatchJob(object));
  }
  try {
    return meantJob(await readJob(scope, name));
  } catch (error) {
    const isGone = error instanceof CommandError;
    if (!isGone || (await findLabelledJob(scope, name)) === undefined) throw error;
    throw new CommandError(
      `there is no SwarmJob ${name} in namespace ${scope.namespace}; for the batch Job of this name use ${BATCH}${name}`,
    );
  }
}

/** All that have not ended. */
export async function unendedJobsOf(scope: Scope, user: string): Promise<readonly MeantJob[]> {
  const [swarmJobs, labelledJobs] = await Promise.all([
    readJobs(scope, false),
    readLabelledJobs(scope, false),
  ]);
  return [
    ...swarmJobs.filter((job) => userOf(job) === user).map(meantJob),
    ...labelledJobs.filter((job) => job.user === user).map(meantLabelled),
  ].filter((job) => !job.hasEnded);
}

function meantJob(job: SwarmJob): MeantJob {
  const { namespace, name, uid } = job.meta;
  return {
    kind: kinds.SwarmJob,
    ref: { namespace, name, uid },
    what: `SwarmJob ${namespace}/${name}`,
    state: listedState(job),
    why: reasonText(job),
    hasEnded: hasEnded(job),
  };
}

function meantLabelled(job: BatchJob): MeantJob {
  const { namespace, name, uid, end } = job;
  const told = stateOfLabelled(job);
  return {
    kind: kinds.Job,
    ref: { namespace, name, uid },
    what: `batch Job ${namespace}/${name}`,
    state: told.state,
    why: labelledText(told),
    hasEnded: end !== undefined,
  };
}
