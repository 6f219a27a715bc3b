// swarmctl job list: which jobs are there, and how are they?
import type { BatchJob } from '../../../api/batch-job.ts';
import type { SwarmJob } from '../../../api/validate.ts';
import { isTrue } from '../../../core/conditions.ts';
import { needsUser } from '../../../queue/reasons.ts';
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
import { readLabelledJobs, stateOfLabelled } from '../../job/labelled.ts';
import { tableLines } from '../../render.ts';
import { type JobLine, jobsTable, rowOf, rowOfLabelled } from '../../views/job-status.ts';

export const jobList: Command = command(
  {
    name: 'job list',
    summary: 'list jobs with their queues, ranks, states and reasons',
    operands: { usage: '', least: 0, most: 0 },
    about: `A line for each SwarmJob, from its status, which the operator writes; and one for each batch Job with the label k8slab.info/queue, as
Job/NAME, if you may read batch Jobs. Jobs that have ended are listed until they are deleted.

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
      const [swarmJobs, labelledJobs] = await Promise.all([
        readJobs(cluster, values.all),
        readLabelledJobs(cluster, values.all),
      ]);
      const jobs = [...swarmJobs.map(listed), ...labelledJobs.map(listedLabelled)]
        .filter(({ row }) => queue === undefined || row.queue === queue)
        .sort((a, b) => (a.place < b.place ? -1 : 1));
      const data = jobs.map((job) => job.data);
      const rows = jobs.map(({ row }) => row);
      print(terminal, values.output, data, (isWide) =>
        jobs.length === 0
          ? [
              `no job here${queue === undefined ? '; -A looks into all namespaces' : ` of SwarmQueue ${queue}`}`,
            ]
          : tableLines(jobsTable(rows, isWide, Date.now()), terminal.width),
      );
      return jobs.some(({ isBad }) => isBad) ? exitCodes.no : exitCodes.ok;
    }),
);

type Listed = {
  /** In the list. */
  readonly place: string;
  readonly row: JobLine;
  readonly data: object;
  /** It has failed, or can never start as things are. */
  readonly isBad: boolean;
};

const listed = (job: SwarmJob): Listed => {
  const { namespace, name } = job.meta;
  return {
    place: `${namespace}/${name}`,
    row: rowOf(job),
    data: { kind: 'SwarmJob', namespace, name, ...job.status },
    isBad: isTrue(job.status?.conditions, 'Stalled'),
  };
};

const listedLabelled = (job: BatchJob): Listed => {
  const { namespace, name, queue } = job;
  const told = stateOfLabelled(job);
  return {
    place: `${namespace}/${name}`,
    row: rowOfLabelled(job),
    data: { kind: 'Job', namespace, name, queue, ...told },
    isBad: told.state === 'Failed' || (told.state === 'Waiting' && needsUser(told.reason ?? '')),
  };
};
