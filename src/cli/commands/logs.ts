// swarmctl logs: what does the worker of a stream log about it?

import { hint } from '../../api/nearest.ts';
import { millisecondsIn } from '../../flags.ts';
import type { PoolWorld } from '../../pool/world.ts';
import {
  type Command,
  CommandError,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import { untilInterrupted } from '../cluster/changes.ts';
import { withCluster } from '../cluster/connect.ts';
import type { LogOptions } from '../cluster/logs.ts';
import { observePool } from '../cluster/observe-pool.ts';
import { isAbout } from '../cluster/stream-lines.ts';

export const logs: Command = command(
  {
    name: 'logs',
    summary: 'show the log lines of a stream',
    operands: { usage: 'POOL STREAM', least: 2, most: 2 },
    about: `Finds the worker that the stream is assigned to, and prints the log lines that are about the stream: those that begin with its name in
brackets, and those of swarm-worker itself (started, stopped, why it ended, when it restarts). Other workers may use another format: --all
shows every line of the log. With --follow, the command follows the stream when it moves to another worker, and reports the move.

${poolExitCodes}
1 means: no worker has the stream.`,
    examples: [
      ['swarmctl logs tv cnbc', 'the log so far'],
      ['swarmctl logs tv cnbc --follow --tail 10', 'the last ten lines, then new ones'],
      ['swarmctl logs tv cnbc --since 1h --timestamps', 'the last hour, with times'],
      ['swarmctl logs tv cnbc --previous', 'the log before the container was restarted'],
    ],
    flags: {
      follow: { type: 'switch', short: 'f', help: 'show new lines until you press Ctrl-C' },
      tail: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 1_000_000,
        help: "read only the last N lines of the worker's log",
      },
      since: {
        type: 'text',
        value: 'TIME',
        help: 'show only lines newer than this, such as 5s, 2m or 3h',
      },
      previous: {
        type: 'switch',
        short: 'p',
        help: "show the log of the pod's previous container",
      },
      timestamps: { type: 'switch', help: 'begin each line with its time' },
      container: {
        type: 'text',
        value: 'NAME',
        short: 'c',
        help: 'the container, if the pod has several',
      },
      all: { type: 'switch', help: 'show every line that the worker writes' },
      ...clusterFlags,
    },
  },
  ({ values, operands: [pool = '', stream = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const { follow, tail, container, previous, timestamps } = values;
      if (previous && follow)
        throw new CommandError(
          '--previous and --follow exclude each other: a container that has ended writes no more lines',
        );
      const since = values.since === undefined ? 0 : secondsIn(values.since);
      const { api, config, namespace } = cluster;
      const world = await observePool(api, namespace, pool, { probes: false });
      const { followStream, workerOf } = await import('../cluster/follow-stream.ts');
      const worker = workerOf(world, stream);
      if (worker === undefined) {
        terminal.problem(
          `no worker of SwarmPool ${pool} has the stream ${stream}${hint(stream, streamsIn(world))}; \`swarmctl explain\` shows why`,
        );
        return exitCodes.no;
      }
      const options: LogOptions = {
        follow,
        tail,
        container,
        previous,
        timestamps,
        since: since > 0 ? since : undefined,
      };
      const ended = untilInterrupted();
      const show = (line: string): void => {
        const text = timestamps ? line.slice(line.indexOf(' ') + 1) : line;
        if (values.all || isAbout(stream, text)) terminal.lines([line]);
      };
      if (follow) {
        await followStream(cluster, world, { stream, worker, options, show }, ended, terminal);
        return exitCodes.ok;
      }
      if (!world.pods.some(({ name }) => name === worker))
        throw new CommandError(`worker ${worker} has no pod at the moment`);
      const { logLines } = await import('../cluster/logs.ts');
      const pod = { namespace, name: worker };
      try {
        for await (const line of logLines(config, pod, options, ended.signal)) show(line);
      } catch (error) {
        if (!ended.signal.aborted) throw error;
      }
      return exitCodes.ok;
    }),
);

const streamsIn = ({ published }: PoolWorld): readonly string[] =>
  [...(published.assignment?.workloads.values() ?? [])].flatMap(({ jobs }) => jobs);

/** Rounded up: the API server takes whole ones. */
function secondsIn(since: string): number {
  const ms = millisecondsIn(since);
  if (!Number.isNaN(ms)) return Math.ceil(ms / 1000);
  throw new CommandError(
    `--since is ${JSON.stringify(since)}; allowed is a time such as 5s, 2m or 1h30m`,
  );
}
