// swarmctl job status: how is a job, and what has become of it so far?
import type { SwarmJob } from '../../../api/validate.ts';
import { isTrue } from '../../../core/conditions.ts';
import {
  type Command,
  command,
  exitCodes,
  jobExitCodes,
  jobFlags,
  output,
} from '../../arguments/command.ts';
import { print } from '../../arguments/terminal.ts';
import { readJob, withCluster } from '../../cluster/connect.ts';
import { jobLines } from '../../views/job-status.ts';

export const jobStatus: Command = command(
  {
    name: 'job status',
    summary: 'show the state of a job, its ranks and attempts, and its history',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `Shows the state of the job and the reason for it, and the last 20 changes of the state, the newest first. This comes from the job's status,
which the operator writes. Of a waiting job the command also computes the position in its queue, when it starts at the latest; of one
that runs it shows when its deadline is.
\`swarmctl job why JOB\` examines the whole queue, and the pods.

${jobExitCodes}
1 means: the job neither runs nor has succeeded.`,
    examples: [
      ['swarmctl job status lammps', 'one job'],
      ['swarmctl job status lammps -o json', 'for programs'],
    ],
    flags: { output, ...jobFlags },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const job = await readJob(cluster, name);
      const { namespace } = job.meta;
      const { placeOf } = await import('../../job/chain.ts');
      const now = Date.now();
      const place = await placeOf(cluster, job, now);
      print(terminal, values.output, { namespace, name, ...job.status, ...place }, () =>
        jobLines(job, place, terminal.width, now),
      );
      return isWellJob(job) ? exitCodes.ok : exitCodes.no;
    }),
);

/** It runs, or has succeeded. */
export const isWellJob = ({ status }: SwarmJob): boolean => isTrue(status?.conditions, 'Ready');
