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
import { timeoutFlag } from '../arguments/waiting.ts';
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
shows every line of the log. With --follow, the command follows the stream when it moves to another worker, and reports the move. It ends when
the stream is removed from the pool, or when no log can be read for --timeout, such as while the image of the worker cannot be pulled.

${poolExitCodes}
1 means: no worker has the stream. With --follow also: the stream was removed, or no log could be read within the time-out.`,
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
        help: 'show only the last N lines about the stream; with --all, of the log',
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
      timeout: timeoutFlag('10m', 'with --follow while no log can be read'),
      ...clusterFlags,
    },
  },
  ({ values, operands: [pool = '', stream = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const { follow, tail, container, previous, timestamps, timeout: timeoutMs } = values;
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
      const isMeant = (text: string): boolean => values.all || isAbout(stream, text);
      const show = (line: string): void => terminal.lines([timestamps ? line : withoutTime(line)]);
      if (follow) {
        const followed = { stream, worker, options, isMeant, show, timeoutMs };
        const why = await untilInterrupted((ended) =>
          followStream(cluster, world, followed, ended, terminal),
        );
        if (why === undefined) return exitCodes.ok;
        terminal.problem(why);
        return exitCodes.no;
      }
      if (!world.pods.some(({ name }) => name === worker))
        throw new CommandError(`worker ${worker} has no pod at the moment`);
      const pod = { namespace, name: worker };
      await untilInterrupted(async ({ signal }) => {
        try {
          if (tail === undefined || tail === 0 || values.all) {
            const { logLines } = await import('../cluster/logs.ts');
            for await (const line of logLines(config, pod, options, signal))
              if (isMeant(timestamps ? withoutTime(line) : line)) terminal.lines([line]);
            return;
          }
          const { boundText, lastLines } = await import('../cluster/last-lines.ts');
          const wanted = { count: tail, isMeant };
          const found = await lastLines(config, pod, options, wanted, signal);
          for (const line of found.lines) show(line);
          if (found.bound !== undefined) terminal.problem(boundText(found, stream, worker));
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      });
      return exitCodes.ok;
    }),
);

const withoutTime = (line: string): string => line.slice(line.indexOf(' ') + 1);

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
