// swarmctl job run: submits a job, shows what its ranks write, and ends as it ends.
import { kinds } from '../../../api/kinds.ts';
import { MAIN } from '../../../api/swarm-job.ts';
import type { SwarmJob } from '../../../api/validate.ts';
import { systemClock } from '../../../runtime/clock.ts';
import {
  type Command,
  command,
  exitCodes,
  exitCodesFor,
  jobFlags,
} from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { interrupts } from '../../cluster/changes.ts';
import { type Cluster, withCluster } from '../../cluster/connect.ts';
import { jobObject, submit } from '../../job/submit.ts';
import { reasonText } from '../../views/job-status.ts';
import { NOT_SEEN } from '../../views/state.ts';

/** As a shell gives it for Ctrl-C. */
const INTERRUPTED = 130;
const MOST_WORDS = 1_000;
/** An operator that works for jobs has seen it by then. */
const UNSEEN_MS = 10_000;
const { context, kubeconfig, namespace: inNamespace } = jobFlags;

export const jobRun: Command = command(
  {
    name: 'job run',
    summary: 'submit a job, show what its ranks write, and exit with its exit code',
    operands: { usage: 'COMMAND...', least: 1, most: MOST_WORDS },
    about: `Creates a SwarmJob that runs COMMAND on each of its ranks, and follows it: the lines of all ranks go to standard output, each with its rank in
brackets; the states of the job, and why it waits, go to standard error. Ctrl-C asks whether to leave the job in the cluster or to
delete it; without a terminal the job is left. Flags come before \`--\`, and the command after it. Here -n is the number of ranks.

${exitCodesFor('queue or job')}
If the job has ended: 0 if it has succeeded, else the exit code of the rank that failed, or 1 if there is none. ${INTERRUPTED} means: you
interrupted the command. With --detach, 0 means: the job was submitted.`,
    examples: [
      ["swarmctl job run -q batch -n 4 --image busybox -- sh -c 'echo $SWARM_RANK'", 'four ranks'],
      [
        'swarmctl job run -q batch --image lmp:1 --cpu 2 --memory 4Gi --detach -- lmp -in in.lj',
        'print the name, and do not wait',
      ],
    ],
    flags: {
      queue: {
        type: 'text',
        value: 'QUEUE',
        short: 'q',
        required: 'expected the SwarmQueue; `swarmctl queue status` lists them',
        help: 'the SwarmQueue that admits the job',
      },
      size: {
        type: 'whole',
        value: 'N',
        short: 'n',
        least: 1,
        most: 5_000,
        fallback: 1,
        help: 'the number of ranks: all of them run, or none',
      },
      image: {
        type: 'text',
        value: 'IMAGE',
        required: 'expected the image',
        help: 'the image that each rank runs',
      },
      name: {
        type: 'text',
        value: 'NAME',
        help: "the job's name; default: that of the image and five random characters",
      },
      cpu: { type: 'text', value: 'QUANTITY', help: 'cpu request of each rank, such as 500m' },
      memory: { type: 'text', value: 'QUANTITY', help: 'memory request of each rank, such as 4Gi' },
      priority: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 1_000_000,
        help: "jobs with a higher priority go first; default: the queue's",
      },
      env: {
        type: 'texts',
        value: 'NAME=VALUE',
        short: 'e',
        help: 'an environment variable; repeatable',
      },
      detach: {
        type: 'switch',
        short: 'd',
        help: 'submit the job, print its name, and do not follow it',
      },
      namespace: { type: 'text', value: 'NAME', help: inNamespace.help },
      context,
      kubeconfig,
    },
  },
  ({ values, operands }, terminal) =>
    withCluster(values, async (cluster) => {
      const object = jobObject({ ...values, command: operands }, cluster.namespace);
      const job = await submit(cluster, object);
      if (!values.detach) return follow(cluster, job, terminal);
      terminal.out(job.meta.name);
      return exitCodes.ok;
    }),
);

async function follow(cluster: Cluster, job: SwarmJob, terminal: Terminal): Promise<number> {
  const { name, namespace } = job.meta;
  const size = job.spec.ok ? job.spec.value.size : 1;
  const { ended, release } = interrupts();
  const { followJob, rankPrefix } = await import('../../job/follow.ts');
  const what = `SwarmJob ${namespace}/${name}`;
  terminal.note(`${what} is submitted`);
  let told = '';
  const cancel = systemClock.after(UNSEEN_MS, () => {
    if (told === '') terminal.note(`${what}: ${NOT_SEEN}; does one work for queues and jobs?`);
  });
  const onJob = (now: SwarmJob): void => {
    const { state } = now.status ?? {};
    const text = state === undefined ? '' : `${state}: ${reasonText(now)}`;
    if (text !== told && text !== '') terminal.note(`${what} is ${text}`);
    told = text;
  };
  const show = (rank: number, line: string): void =>
    terminal.out(`${rankPrefix(rank, size)}${line}`);
  const followed = {
    job: job.meta,
    container: MAIN,
    tail: undefined,
    rank: undefined,
    show,
    onJob,
  };
  try {
    const last = await followJob(cluster, followed, ended, terminal);
    if (last !== undefined) return exitCodeOf(last);
  } finally {
    cancel();
    release();
  }
  if (ended.aborted) return leaveOrDelete(cluster, job, terminal);
  terminal.problem(`${what} was deleted before it had ended`);
  return exitCodes.no;
}

function exitCodeOf({ status }: SwarmJob): number {
  if (status?.state === 'Succeeded') return exitCodes.ok;
  return status?.exitCode || exitCodes.no;
}

async function leaveOrDelete(
  { api }: Cluster,
  { meta: { name, namespace, uid } }: SwarmJob,
  terminal: Terminal,
): Promise<number> {
  const what = `SwarmJob ${namespace}/${name}`;
  const answer = await terminal.ask(
    `\nleave ${what} in the cluster, or delete it? [leave/delete] `,
  );
  if (answer !== undefined && /^d(elete)?$/i.test(answer.trim())) {
    await api.delete(kinds.SwarmJob, { namespace, name }, { uid });
    terminal.note(`${what} is deleted`);
  } else
    terminal.note(
      `${what} is left in the cluster; \`swarmctl job logs ${name} --namespace ${namespace} --follow\` goes on with it`,
    );
  return INTERRUPTED;
}
