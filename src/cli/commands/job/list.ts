// swarmctl job list: which jobs are there, and how are they?
import { isTrue } from '../../../core/conditions.ts';
import {
  allNamespacesFor,
  type Command,
  command,
  exitCodes,
  jobExitCodes,
  jobFlags,
  output,
} from '../../arguments/command.ts';
import { print } from '../../arguments/terminal.ts';
import { readJobs, withCluster } from '../../cluster/connect.ts';
import { tableLines } from '../../render.ts';
import { jobsTable, queueOf } from '../../views/job-status.ts';

export const jobList: Command = command(
  {
    name: 'job list',
    summary: 'list jobs with their queues, ranks, states and reasons',
    operands: { usage: '', least: 0, most: 0 },
    about: `A line for each job, from its status, which the operator writes. Jobs that have ended are listed until they are deleted.

${jobExitCodes}
1 means: a job has failed, or can never start as things are.`,
    examples: [
      ['swarmctl job list', 'the jobs of this namespace'],
      ['swarmctl job list -q batch -o wide', 'those of one queue, with priorities and attempts'],
    ],
    flags: {
      queue: {
        type: 'text',
        value: 'QUEUE',
        short: 'q',
        help: 'list only the jobs of this SwarmQueue',
      },
      all: allNamespacesFor('job'),
      output,
      ...jobFlags,
    },
  },
  ({ values }, terminal) =>
    withCluster(values, async (cluster) => {
      const { queue } = values;
      const all = await readJobs(cluster, values.all);
      const jobs = all.filter((job) => queue === undefined || queueOf(job) === queue);
      const data = jobs.map(({ meta: { namespace, name }, status }) => ({
        namespace,
        name,
        ...status,
      }));
      print(terminal, values.output, data, (isWide) =>
        jobs.length === 0
          ? [
              `no SwarmJob here${queue === undefined ? '; -A looks into all namespaces' : ` of SwarmQueue ${queue}`}`,
            ]
          : tableLines(jobsTable(jobs, isWide, Date.now()), terminal.width),
      );
      const isBad = jobs.some(({ status }) => isTrue(status?.conditions, 'Stalled'));
      return isBad ? exitCodes.no : exitCodes.ok;
    }),
);
