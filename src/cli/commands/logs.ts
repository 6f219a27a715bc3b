// swarmctl logs: what does the worker of a stream log about it?

import { hint } from '../../api/nearest.ts';
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
import { observePool } from '../cluster/observe-pool.ts';

export const logs: Command = command(
  {
    name: 'logs',
    summary: 'what the worker of a stream writes about it',
    operands: { usage: 'POOL STREAM', least: 2, most: 2 },
    about: `Finds the worker that the stream is assigned to, and prints the lines of its log that begin with the stream's name in brackets, as
swarm-worker writes them. Other workers may write otherwise: --all shows every line. With --follow it goes with the stream to whichever
worker has it next, and says so.

${poolExitCodes}
1 is: no worker has the stream.`,
    examples: [
      ['swarmctl logs tv cnbc', 'so far'],
      ['swarmctl logs tv cnbc --follow --tail 10', 'as it goes on'],
    ],
    flags: {
      follow: { type: 'switch', short: 'f', help: 'go on until interrupted' },
      tail: {
        type: 'whole',
        value: 'N',
        least: 0,
        most: 1_000_000,
        help: "of so many lines of the worker's log, the last",
      },
      container: {
        type: 'text',
        value: 'NAME',
        short: 'c',
        help: 'of the pod, where it has several',
      },
      all: { type: 'switch', help: 'whatever the worker writes' },
      ...clusterFlags,
    },
  },
  ({ values, operands: [pool = '', stream = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const { api, config, namespace } = cluster;
      const world = await observePool(api, namespace, pool, { probes: false });
      const { followStream, workerOf } = await import('../cluster/follow-stream.ts');
      const worker = workerOf(world, stream);
      if (worker === undefined) {
        terminal.problem(
          `no worker of SwarmPool ${pool} has the stream ${stream}${hint(stream, streamsIn(world))}; \`swarmctl explain\` says why`,
        );
        return exitCodes.no;
      }
      const { follow, tail, container } = values;
      const options = { follow, tail, container };
      const ended = untilInterrupted();
      const show = (line: string): void => {
        if (values.all || line.startsWith(`[${stream}] `)) terminal.lines([line]);
      };
      if (follow) {
        await followStream(cluster, world, { stream, worker, options, show }, ended, terminal);
        return exitCodes.ok;
      }
      if (!world.pods.some(({ name }) => name === worker))
        throw new CommandError(`${worker} has no pod now`);
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
