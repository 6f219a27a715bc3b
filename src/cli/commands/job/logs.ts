// swarmctl job logs: what do the ranks of a job write?
import { MAIN } from '../../../api/swarm-job.ts';
import type { SwarmJob } from '../../../api/validate.ts';
import { systemClock } from '../../../runtime/clock.ts';
import {
  type Command,
  command,
  exitCodes,
  jobExitCodes,
  jobFlags,
} from '../../arguments/command.ts';
import type { Terminal } from '../../arguments/terminal.ts';
import { untilInterrupted } from '../../cluster/changes.ts';
import { type Cluster, readJob, withCluster } from '../../cluster/connect.ts';
import { requireRank, sizeOf } from '../../job/named-rank.ts';
import { readRanks } from '../../job/ranks.ts';
import { JobStart, startFlags } from '../../job/start.ts';
import { reasonText } from '../../views/job-status.ts';
import { NOT_SEEN } from '../../views/state.ts';

export const jobLogs: Command = command(
  {
    name: 'job logs',
    summary: 'show the logs of all ranks of a job, each line with its rank',
    operands: { usage: 'JOB', least: 1, most: 1 },
    about: `Prints the log of each rank, in the order of the ranks; with --follow, the lines of all ranks as they are written, until the job has ended.
Each line begins with the rank in brackets, except with --rank. The logs of a failed attempt remain until the next attempt begins.

--follow ends when the job cannot start as things are, or when no rank runs for --timeout; with --wait it waits on.

${jobExitCodes}
1 means: without --follow, no rank has a log: none has started, or the pods are gone. With --follow: the job cannot start, no rank of it has
run within the time-out, or the job was deleted before it had ended.`,
    examples: [
      ['swarmctl job logs lammps', 'what all ranks have written so far'],
      ['swarmctl job logs lammps --rank 0 --follow', 'follow one rank'],
    ],
    flags: {
      rank: { type: 'whole', value: 'N', least: 0, most: 4_999, help: 'show only this rank' },
      follow: { type: 'switch', short: 'f', help: 'continue until the job has ended' },
      tail: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 1_000_000,
        help: 'show the last N lines of each rank',
      },
      container: {
        type: 'text',
        value: 'NAME',
        short: 'c',
        fallback: MAIN,
        help: 'the container, if the pods have several',
      },
      timeout: { ...startFlags.timeout, needs: 'follow' },
      wait: { ...startFlags.wait, needs: 'follow' },
      ...jobFlags,
    },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const job = await readJob(cluster, name);
      const size = sizeOf(job);
      const { rank, container, tail } = values;
      requireRank(job, rank ?? 0);
      const { followJob, rankPrefix } = await import('../../job/follow.ts');
      const show = (of: number, line: string): void =>
        terminal.out(rank === undefined ? `${rankPrefix(of, size)}${line}` : line);
      if (!values.follow)
        return untilInterrupted(({ signal }) =>
          showOnce(cluster, job, { rank, container, tail, show }, signal, terminal),
        );
      const what = `SwarmJob ${job.meta.namespace}/${name}`;
      const { timeout: timeoutMs, wait: isPatient } = values;
      let problem = `${what} was deleted before it had ended`;
      const stopped = new AbortController();
      const start = new JobStart(
        { what, timeoutMs, isPatient, clock: systemClock, note: terminal.note },
        ({ why }) => {
          problem = why;
          stopped.abort();
        },
      );
      const onJob = (now: SwarmJob): void => start.onJob(now);
      const onRanks = (running: number): void => start.onRanks(running);
      const followed = { job: job.meta, container, tail, rank, show, onJob, onRanks };
      const isDone = await untilInterrupted(async (ended) => {
        const signal = AbortSignal.any([ended.signal, stopped.signal]);
        const done = await followJob(cluster, followed, signal, terminal).finally(() =>
          start.end(),
        );
        return done !== undefined || ended.signal.aborted;
      });
      if (isDone) return exitCodes.ok;
      terminal.problem(problem);
      return exitCodes.no;
    }),
);

type Shown = {
  readonly rank: number | undefined;
  readonly container: string;
  readonly tail: number | undefined;
  readonly show: (rank: number, line: string) => void;
};

async function showOnce(
  { api, config, namespace }: Cluster,
  job: SwarmJob,
  { rank, container, tail, show }: Shown,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const { logLines } = await import('../../cluster/logs.ts');
  const all = await readRanks(api, job.meta, container);
  const newest = all.filter((pod, at) => pod.rank !== all[at - 1]?.rank);
  const meant = newest.filter((pod) => rank === undefined || pod.rank === rank);
  const started = meant.filter((pod) => pod.container !== 'waiting');
  const options = { follow: false, tail, container };
  for (const { pod, rank: of } of started)
    try {
      for await (const line of logLines(config, { namespace, name: pod }, options, signal))
        show(of, line);
    } catch (error) {
      if (signal.aborted) break;
      throw error;
    }
  for (const pod of meant.filter((it) => !started.includes(it)))
    terminal.problem(
      `rank ${pod.rank} has no log yet: pod ${pod.pod} is ${pod.state}${pod.message === undefined ? '' : `: ${pod.message}`}`,
    );
  if (started.length > 0) return exitCodes.ok;
  if (meant.length === 0) {
    const { state } = job.status ?? {};
    const why = state === undefined ? NOT_SEEN : `it is ${state} (${reasonText(job)})`;
    terminal.problem(`SwarmJob ${namespace}/${job.meta.name} has no pod: ${why}`);
  }
  return exitCodes.no;
}
