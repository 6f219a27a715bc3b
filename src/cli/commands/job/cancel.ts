// swarmctl job cancel: ends jobs for good, with their pods.
import { hasCode, KubeError } from '../../../runtime/client/errors.ts';
import { systemClock } from '../../../runtime/clock.ts';
import {
  type Command,
  CommandError,
  command,
  exitCodes,
  jobExitCodes,
  jobFlags,
} from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { timeoutFlag } from '../../arguments/waiting.ts';
import { type Cluster, withCluster } from '../../cluster/connect.ts';
import { userNamed } from '../../cluster/user.ts';
import { jobsNamed, type MeantJob, unendedJobsOf } from '../../job/meant.ts';
import { untilPodsEnded } from '../../job/until-ended.ts';

const MOST_JOBS_AT_ONCE = 1_000;

export const jobCancel: Command = command(
  {
    name: 'job cancel',
    summary: 'end jobs for good, with their pods',
    operands: { usage: '[JOB|batch/JOB...]', least: 0, most: MOST_JOBS_AT_ONCE },
    about: `Says which jobs it ends, deletes them, and waits until their pods have ended: each gets its grace period after SIGTERM. The history of a
cancelled job is gone, and what its program has not saved is lost; \`swarmctl job suspend JOB\` stops a job that is to go on later.

batch/JOB is a batch Job with the label k8slab.info/queue. With --user, the command cancels all jobs of that user in the namespace that have not
ended, batch Jobs included. Before it cancels more than one job it asks at a terminal; elsewhere it then needs --yes. A job that has ended stays
as it is.

${jobExitCodes}
1 means: a job was not cancelled (it has ended, it was not found, you did not agree ...), or a pod still runs after --timeout. 2 also means:
none of the jobs was found.`,
    examples: [
      ['swarmctl job cancel lammps', 'one job'],
      ['swarmctl job cancel lammps batch/nightly --yes', 'two, without a question'],
      ['swarmctl job cancel --user me', 'all of your own'],
    ],
    flags: {
      user: {
        type: 'text',
        value: 'NAME',
        help: 'all jobs that this user has submitted and that have not ended; me: your own',
      },
      yes: { type: 'switch', short: 'y', help: 'do not ask' },
      timeout: timeoutFlag('5m', 'until the pods have ended'),
      ...jobFlags,
    },
  },
  ({ values, operands }, terminal) => {
    const { user } = values;
    if ((user === undefined) === (operands.length === 0))
      throw new CommandError('expected either the names of jobs or --user');
    return withCluster(values, (cluster) =>
      user === undefined
        ? cancelNamed(cluster, operands, values, terminal)
        : cancelAllOf(cluster, user, values, terminal),
    );
  },
);

type Manner = { readonly yes: boolean; readonly timeout: number };

async function cancelNamed(
  cluster: Cluster,
  names: readonly string[],
  manner: Manner,
  terminal: Terminal,
): Promise<number> {
  const { jobs, problems } = await jobsNamed(cluster, names);
  for (const problem of problems) terminal.problem(problem);
  if (jobs.length === 0) return exitCodes.usage;
  for (const { what, state } of jobs.filter(({ hasEnded }) => hasEnded))
    terminal.problem(`${what} has ended (${state}): it is not cancelled`);
  const live = jobs.filter(({ hasEnded }) => !hasEnded);
  const isDone = await cancel(cluster, live, manner, terminal);
  return isDone && live.length === jobs.length && problems.length === 0
    ? exitCodes.ok
    : exitCodes.no;
}

async function cancelAllOf(
  cluster: Cluster,
  user: string,
  manner: Manner,
  terminal: Terminal,
): Promise<number> {
  const name = await userNamed(cluster, user);
  const jobs = await unendedJobsOf(cluster, name);
  if (jobs.length === 0)
    terminal.out(`user ${name} has no job in namespace ${cluster.namespace} that has not ended`);
  return (await cancel(cluster, jobs, manner, terminal)) ? exitCodes.ok : exitCodes.no;
}

/** True: all of them are deleted, and no pod of them runs. */
async function cancel(
  cluster: Cluster,
  jobs: readonly MeantJob[],
  { yes, timeout: timeoutMs }: Manner,
  terminal: Terminal,
): Promise<boolean> {
  for (const { what, state, why } of jobs) terminal.note(`${what} is ${state}: ${why}`);
  if (jobs.length > 1 && !yes && !(await agreesTo(jobs.length, terminal))) {
    terminal.problem('no job was cancelled; --yes cancels them without a question');
    return false;
  }
  const deleted: MeantJob[] = [];
  for (const job of jobs) if (await isDeleted(cluster, job, terminal)) deleted.push(job);
  if (deleted.length === 0) return jobs.length === 0;
  const { api, namespace } = cluster;
  const options = { api, namespace, timeoutMs, clock: systemClock, terminal };
  const problem = await untilPodsEnded(deleted, options);
  if (problem !== undefined) terminal.problem(problem);
  else terminal.out(`no pod of ${deleted.length === 1 ? 'it' : 'them'} runs`);
  return problem === undefined && deleted.length === jobs.length;
}

async function agreesTo(count: number, { ask }: Pick<Terminal, 'ask'>): Promise<boolean> {
  const answer = await ask(`cancel these ${count} jobs? (yes/no) [no] `);
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}

/** False: it was not, and the user is told why. */
async function isDeleted(
  { api }: Pick<Cluster, 'api'>,
  { kind, ref: { uid, ...ref }, what }: MeantJob,
  terminal: Terminal,
): Promise<boolean> {
  try {
    await api.delete(kind, ref, { uid });
    terminal.out(`${what} is deleted`);
    return true;
  } catch (error) {
    // Another job may have its name now.
    if (hasCode(error, 'NotFound', 'Conflict'))
      terminal.problem(`${what} was deleted by another user meanwhile`);
    else if (error instanceof KubeError && error.verdict === 'terminal')
      terminal.problem(`${what} is not cancelled: ${error.message}`);
    else throw error;
    return false;
  }
}
