// swarmctl job run: submits a job, shows what its ranks write, and ends as it ends.
import { MAIN } from '../../../api/swarm-job.ts';
import type { SwarmJob } from '../../../api/validate.ts';
import { plural } from '../../../core/text.ts';
import type { Values } from '../../../flags.ts';
import { systemClock } from '../../../runtime/clock.ts';
import {
  type Command,
  CommandError,
  command,
  exitCodes,
  exitCodesFor,
  jobFlags,
} from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { interrupts } from '../../cluster/changes.ts';
import { type Cluster, withCluster } from '../../cluster/connect.ts';
import { withOwnUser } from '../../cluster/user.ts';
import { endGivenUp, leaveOrDelete, leftText } from '../../job/left-over.ts';
import { type GivenUp, JobStart, startFlags } from '../../job/start.ts';
import { jobObject, submit } from '../../job/submit.ts';
import { reasonText } from '../../views/job-status.ts';

/** As a shell gives it for Ctrl-C. */
const INTERRUPTED = 130;
const MOST_WORDS = 1_000;

type Patience = Pick<Values<typeof startFlags>, 'timeout' | 'wait'>;

export const jobRun: Command = command(
  {
    name: 'job run',
    summary: 'submit a job, show what its ranks write, and exit with its exit code',
    operands: { usage: 'COMMAND...', least: 1, most: MOST_WORDS },
    about: `Creates a SwarmJob that runs COMMAND on each of its ranks, and follows it: the lines of all ranks go to standard output, each with its rank in
brackets; the states of the job, and why it waits, go to standard error. Ctrl-C asks whether to leave the job in the cluster or to
delete it; without a terminal the job is left. Flags come before \`--\`, and the command after it.

If the job cannot start as things are (there is no such queue, the job is larger than the quota, a request is missing ...), or no operator
reconciles it within a minute, the command deletes the job and ends with the reason. If no rank runs for --timeout, it leaves the job in
the cluster and names it. With --wait it waits in all of these cases.

${exitCodesFor('queue or job')}
If the job has ended: 0 if it has succeeded, else the exit code of the rank that failed, or 1 if there is none. 2 also means: the job cannot
start, or the time-out has passed. ${INTERRUPTED} means: you interrupted the command. With --detach, 0 means: the job was submitted.`,
    examples: [
      ["swarmctl job run -q batch -N 4 --image busybox -- sh -c 'echo $SWARM_RANK'", 'four ranks'],
      [
        'swarmctl job run -q batch --image lmp:1 --cpu 2 --memory 4Gi --detach -- lmp -in in.lj',
        'print the name, and do not wait',
      ],
      [
        'swarmctl job run -q batch --image train:1 --request nvidia.com/gpu=1 --time 90m --retries 2 -- train',
        'a GPU for at most 90 minutes; run again if the command fails',
      ],
      [
        'swarmctl job run -q batch --image train:1 --time 90m --signal-before 5m -- train',
        'SIGTERM after 85 minutes: the ranks have five to save their work',
      ],
      [
        'swarmctl job run -q batch -N 4 --launcher leader --image tools:1 -- ./distribute',
        'rank 0 runs the command, once all four are there; /etc/swarm/addresses has the others',
      ],
      [
        'swarmctl job run -q batch -N 4 --launcher mpi --tasks 8 --image lammps:1 -- mpirun lmp -in in.lj',
        'two processes on each of four ranks',
      ],
      [
        'swarmctl job run -q batch -N 4 --launcher flux --tasks 8 --image flux:1 -- hostname',
        'the same by Flux',
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
      ranks: {
        type: 'whole',
        value: 'N',
        short: 'N',
        least: 1,
        most: 5_000,
        help: 'the number of ranks: all of them run, or none; default: 1',
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
      request: {
        type: 'texts',
        value: 'NAME=N',
        help: 'request of each rank for any resource, such as nvidia.com/gpu=1; repeatable',
      },
      time: {
        type: 'time',
        leastMs: 1_000,
        most: '8760h',
        help: "how long the job may run, over all attempts; default: the queue's",
      },
      'signal-before': {
        type: 'time',
        leastMs: 0,
        most: '24h',
        help: "how long before the end of --time the ranks get SIGTERM, to save their work; default: the queue's, else 0s",
      },
      retries: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 1_000,
        help: 'how often the job is run again after its command has failed; default: 0',
      },
      priority: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 1_000_000,
        help: "jobs with a higher priority go first; default: the queue's",
      },
      launcher: {
        type: 'choice',
        among: ['none', 'leader', 'mpi', 'flux'],
        help: 'none: all ranks run the command; leader: rank 0 runs it, the others wait, and the job ends with rank 0; mpi: the same, and mpirun starts processes on all; flux: a broker on each rank runs the command on all',
      },
      tasks: {
        type: 'whole',
        value: 'N',
        least: 1,
        most: 1_000_000,
        needs: 'launcher',
        help: 'of type mpi and flux: the number of processes on all ranks together; default: one on each',
      },
      together: {
        type: 'switch',
        help: 'no rank runs the command before the pods of all ranks run; with a leader always',
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
      ...startFlags,
      ...jobFlags,
    },
  },
  ({ values, operands }, terminal) => {
    refuseRanksAsNamespace(values);
    return withCluster(values, async (cluster) => {
      const wanted = { ...values, size: values.ranks ?? 1, command: operands };
      const object = jobObject(wanted, cluster.namespace);
      const job = await submit(cluster, await withOwnUser(cluster, object));
      if (!values.detach) return follow(cluster, job, values, terminal);
      terminal.out(job.meta.name);
      return exitCodes.ok;
    });
  },
);

/** -n was the number of ranks. With --ranks, a namespace may have a number for its name. */
function refuseRanksAsNamespace({
  namespace = '',
  ranks,
}: {
  readonly namespace: string | undefined;
  readonly ranks: number | undefined;
}): void {
  if (ranks === undefined && /^\d+$/.test(namespace))
    throw new CommandError(
      `-n is the namespace, as in kubectl; for ${plural(Number(namespace), 'rank')} use -N ${namespace} (--ranks ${namespace})`,
    );
}

type Followed = {
  /** As it was seen last. */
  readonly last: SwarmJob;
  readonly end: 'deleted' | 'ended' | 'interrupted' | GivenUp;
};

async function follow(
  cluster: Cluster,
  job: SwarmJob,
  given: Patience,
  terminal: Terminal,
): Promise<number> {
  const what = `SwarmJob ${job.meta.namespace}/${job.meta.name}`;
  terminal.note(`${what} is submitted`);
  for (;;) {
    const { last, end } = await followOnce(cluster, job, given, terminal);
    switch (end) {
      case 'ended':
        return exitCodeOf(last);
      case 'interrupted':
        await leaveOrDelete(cluster, last.meta, terminal);
        return INTERRUPTED;
      case 'deleted':
        terminal.problem(`${what} was deleted before it had ended`);
        return exitCodes.no;
      default:
        if (await endGivenUp(cluster, last, end, terminal)) return exitCodes.usage;
    }
  }
}

async function followOnce(
  cluster: Cluster,
  job: SwarmJob,
  { timeout, wait }: Patience,
  terminal: Terminal,
): Promise<Followed> {
  const { name, namespace } = job.meta;
  const size = job.spec.ok ? job.spec.value.size : 1;
  const what = `SwarmJob ${namespace}/${name}`;
  const { ended, release } = interrupts();
  const stopped = new AbortController();
  let end: Followed['end'] = 'deleted';
  const onGivenUp = (givenUp: GivenUp): void => {
    end = givenUp;
    stopped.abort();
  };
  const { note } = terminal;
  const start = new JobStart(
    { what, timeoutMs: timeout, isPatient: wait, clock: systemClock, note },
    onGivenUp,
  );
  const { followJob, rankPrefix } = await import('../../job/follow.ts');
  let last = job;
  let told = '';
  const onJob = (now: SwarmJob): void => {
    last = now;
    start.onJob(now);
    const { state } = now.status ?? {};
    const text = state === undefined ? '' : `${state}: ${reasonText(now)}`;
    if (text !== told && text !== '') note(`${what} is ${text}`);
    told = text;
  };
  const followed = {
    job: job.meta,
    container: MAIN,
    tail: undefined,
    rank: undefined,
    show: (rank: number, line: string) => terminal.out(`${rankPrefix(rank, size)}${line}`),
    onJob,
    onRanks: (running: number) => start.onRanks(running),
  };
  try {
    const signal = AbortSignal.any([ended, stopped.signal]);
    const done = await followJob(cluster, followed, signal, terminal);
    if (done !== undefined) return { last: done, end: 'ended' };
    return { last, end: ended.aborted ? 'interrupted' : end };
  } catch (error) {
    note(leftText(job.meta));
    throw error;
  } finally {
    start.end();
    release();
  }
}

function exitCodeOf({ status }: SwarmJob): number {
  if (status?.state === 'Succeeded') return exitCodes.ok;
  return status?.exitCode || exitCodes.no;
}
