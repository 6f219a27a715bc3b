// swarmctl job why: why does a job wait, why does it not run, why did it fail?
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
import { chainLines } from '../../views/job-why.ts';
import { isWellJob } from './status.ts';

export const jobWhy: Command = command(
  {
    name: 'job why',
    summary: 'show why a job waits, does not run, or has failed',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `For a waiting job: its queue, how much of the quota is in use and how much the job needs, its position, which jobs go first, and when it
starts at the latest, if every job that runs has a deadline. The command makes the operator's decision from the current state of the
namespace. For an admitted job: the attempt, its batch Job, and the message of each pod, for example that no node has room for it or that its image cannot be pulled;
and of pods that do not run the newest warning events, such as FailedMount, where you may read events.

${jobExitCodes}
1 means: the job neither runs nor has succeeded.`,
    examples: [
      ['swarmctl job why lammps', 'the whole chain'],
      ['swarmctl job why lammps -o yaml', 'for programs'],
    ],
    flags: { output, ...jobFlags },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const job = await readJob(cluster, name);
      const { chainOf } = await import('../../job/chain.ts');
      const now = Date.now();
      const chain = await chainOf(cluster, job, now);
      print(terminal, values.output, chain, () => chainLines(chain, terminal.width, now));
      return isWellJob(job) ? exitCodes.ok : exitCodes.no;
    }),
);
