// swarmctl job why: why does a job wait, why does it not run, why did it fail?
import { parseBatchJob } from '../../../api/batch-job.ts';
import type { KubeObject } from '../../../api/objects.ts';
import {
  type Command,
  CommandError,
  command,
  exitCodes,
  jobExitCodes,
  jobFlags,
  output,
} from '../../arguments/command.ts';
import { BATCH } from '../../arguments/object-names.ts';
import { print } from '../../arguments/terminal.ts';
import { type Cluster, readJob, withCluster } from '../../cluster/connect.ts';
import type { Chain } from '../../job/chain.ts';
import { findLabelledJob, isWellLabelled, readLabelledJob } from '../../job/labelled.ts';
import { chainLines } from '../../views/job-why.ts';
import { isWellJob } from './status.ts';

export const jobWhy: Command = command(
  {
    name: 'job why',
    summary: 'show why a job waits, does not run, or has failed',
    operands: { usage: 'JOB|batch/JOB', least: 1, most: 1 },
    about: `For a waiting job: its queue, how much of the quota is in use and how much the job needs, its position, which jobs go first, and when it
starts at the latest, if every job that runs has a deadline. The command makes the operator's decision from the current state of the
namespace. For an admitted job: the attempt, its batch Job, and the message of each pod, for example that no node has room for it or that its
image cannot be pulled; and of pods that do not run the newest warning events, such as FailedMount, where you may read events.

batch/JOB is a batch Job with the label k8slab.info/queue, as is JOB where no SwarmJob has the name; job.batch/JOB works too.

${jobExitCodes}
1 means: the job neither runs nor has succeeded.`,
    examples: [
      ['swarmctl job why lammps', 'the whole chain'],
      ['swarmctl job why batch/nightly', 'a batch Job with the label of a queue'],
      ['swarmctl job why lammps -o yaml', 'for programs'],
    ],
    flags: { output, ...jobFlags },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const now = Date.now();
      const { chain, isWell } = await readChain(cluster, name, now);
      print(terminal, values.output, chain, () => chainLines(chain, terminal.width, now));
      return isWell ? exitCodes.ok : exitCodes.no;
    }),
);

type Told = { readonly chain: Chain; readonly isWell: boolean };

/** A batch Job is meant where no SwarmJob has the name. */
async function readChain(cluster: Cluster, operand: string, now: number): Promise<Told> {
  const { chainOf, chainOfLabelled } = await import('../../job/chain.ts');
  const told = async (object: KubeObject): Promise<Told> => ({
    chain: await chainOfLabelled(cluster, object, now),
    isWell: isWellLabelled(parseBatchJob(object)),
  });
  if (operand.startsWith(BATCH))
    return told(await readLabelledJob(cluster, operand.slice(BATCH.length), 'why'));
  try {
    const job = await readJob(cluster, operand);
    return { chain: await chainOf(cluster, job, now), isWell: isWellJob(job) };
  } catch (error) {
    const isGone = error instanceof CommandError;
    const labelled = isGone ? await findLabelledJob(cluster, operand) : undefined;
    if (labelled === undefined) throw error;
    return told(labelled);
  }
}
