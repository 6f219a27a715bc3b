// swarmctl job list: which jobs are there, and how are they?
import type { BatchJob } from '../../../api/batch-job.ts';
import { ANNOTATION_USER } from '../../../api/job-user.ts';
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
import { userNamed } from '../../cluster/user.ts';
import { readLabelledJobs, stateOfLabelled } from '../../job/labelled.ts';
import { tableLines } from '../../render.ts';
import {
  type JobLine,
  jobStates,
  jobsTable,
  type ListedState,
  listedState,
  rowOf,
  rowOfLabelled,
} from '../../views/job-status.ts';

export const jobList: Command = command(
  {
    name: 'job list',
    summary: 'list jobs with their queues, ranks, states and reasons',
    operands: { usage: '', least: 0, most: 0 },
    about: `A line for each SwarmJob, from its status, which the operator writes; and one for each batch Job with the label k8slab.info/queue, as
Job/NAME, if you may read batch Jobs. Jobs that have ended are listed until they are deleted. USER is who has submitted the job, from its
annotation ${ANNOTATION_USER}, which \`swarmctl job run\` writes.

${jobExitCodes}
1 means: a job has failed, or can never start as things are.`,
    examples: [
      ['swarmctl job list', 'the jobs of this namespace'],
      ['swarmctl job list -q batch -o wide', 'those of one queue, with priorities and attempts'],
      ['swarmctl job list --user me --state Waiting --state Running', 'your own that wait or run'],
    ],
    flags: {
      queue: {
        type: 'text',
        value: 'QUEUE',
        short: 'q',
        help: 'list only the jobs of this SwarmQueue',
      },
      user: {
        type: 'text',
        value: 'NAME',
        help: 'list only the jobs that this user has submitted; me: your own',
      },
      state: {
        type: 'texts',
        value: 'STATE',
        among: jobStates,
        help: `list only the jobs in this state: ${jobStates.join(', ')}; repeatable`,
      },
      all: allNamespacesFor('job'),
      output,
      ...jobFlags,
    },
  },
  ({ values }, terminal) =>
    withCluster(values, async (cluster) => {
      const { queue, state: states } = values;
      const user = values.user === undefined ? undefined : await userNamed(cluster, values.user);
      const [swarmJobs, labelledJobs] = await Promise.all([
        readJobs(cluster, values.all),
        readLabelledJobs(cluster, values.all),
      ]);
      const jobs = [...swarmJobs.map(listed), ...labelledJobs.map(listedLabelled)]
        .filter(({ row }) => queue === undefined || row.queue === queue)
        .filter(({ row }) => user === undefined || row.user === user)
        .filter(({ state }) => states.length === 0 || states.includes(state))
        .sort((a, b) => (a.place < b.place ? -1 : 1));
      const data = jobs.map((job) => job.data);
      const rows = jobs.map(({ row }) => row);
      print(terminal, values.output, data, (isWide) =>
        jobs.length === 0
          ? [noneText({ queue, user, states, isEverywhere: values.all })]
          : tableLines(jobsTable(rows, isWide, Date.now()), terminal.width),
      );
      return jobs.some(({ isBad }) => isBad) ? exitCodes.no : exitCodes.ok;
    }),
);

type Wanted = {
  readonly queue: string | undefined;
  readonly user: string | undefined;
  readonly states: readonly ListedState[];
  readonly isEverywhere: boolean;
};

function noneText({ queue, user, states, isEverywhere }: Wanted): string {
  const filters = [
    ...(queue === undefined ? [] : [` of SwarmQueue ${queue}`]),
    ...(user === undefined ? [] : [` of user ${user}`]),
    ...(states.length === 0 ? [] : [` in state ${states.join(' or ')}`]),
  ];
  const where = isEverywhere ? 'in any namespace' : 'here';
  const hint = isEverywhere || filters.length > 0 ? '' : '; -A looks into all namespaces';
  return `no job ${where}${filters.join('')}${hint}`;
}

type Listed = {
  /** In the list. */
  readonly place: string;
  readonly row: JobLine;
  readonly state: ListedState;
  readonly data: object;
  /** It has failed, or can never start as things are. */
  readonly isBad: boolean;
};

const listed = (job: SwarmJob): Listed => {
  const { namespace, name } = job.meta;
  const row = rowOf(job);
  return {
    place: `${namespace}/${name}`,
    row,
    state: listedState(job),
    data: { kind: 'SwarmJob', namespace, name, user: row.user, ...job.status },
    isBad: isTrue(job.status?.conditions, 'Stalled'),
  };
};

const listedLabelled = (job: BatchJob): Listed => {
  const { namespace, name, queue } = job;
  const told = stateOfLabelled(job);
  const row = rowOfLabelled(job);
  return {
    place: `${namespace}/${name}`,
    row,
    state: told.state,
    data: { kind: 'Job', namespace, name, queue, user: row.user, ...told },
    isBad: told.state === 'Failed' || (told.state === 'Waiting' && needsUser(told.reason ?? '')),
  };
};
