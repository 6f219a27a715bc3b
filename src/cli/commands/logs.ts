// swarmctl logs: what does the worker of a stream write about it?
import { publishedNow } from '../../core/pool/published.ts';
import { exitCodes } from '../arguments/command.ts';
import { type Command, command, Trouble } from '../arguments/main.ts';
import { clusterFlags, exitCodesText } from '../arguments/shared.ts';
import { withCluster } from '../cluster/connect.ts';
import { gatherPool } from '../cluster/gather.ts';

export const logs: Command = command(
  {
    name: 'logs',
    summary: 'what the worker of a stream writes about it',
    operands: { usage: 'POOL STREAM', least: 2, most: 2 },
    about: `Finds the worker that the stream is assigned to, and prints the lines of its log that begin with the stream's name in brackets, as
swarm-worker writes them. Other workers may write otherwise: --all shows every line. A stream that moves on is not followed.

${exitCodesText.pool}
1 is: no worker has the stream.`,
    examples: [
      ['swarmctl logs tv cnbc', 'so far'],
      ['swarmctl logs tv cnbc --follow --tail 10', 'as it goes on'],
    ],
    flags: {
      follow: { type: 'switch', short: 'f', help: 'go on until interrupted' },
      tail: { type: 'whole', value: 'N', least: 0, most: 1_000_000, help: "of so many lines of the worker's log, the last" },
      container: { type: 'text', value: 'NAME', short: 'c', help: 'of the pod, where it has several' },
      all: { type: 'switch', help: 'whatever the worker writes' },
      ...clusterFlags,
    },
  },
  ({ values, operands: [pool = '', stream = ''] }, terminal) =>
    withCluster(values, async ({ api, config, namespace }) => {
      const world = await gatherPool(api, namespace, pool, { asks: false });
      const slices = publishedNow(world.published).assignment?.workloads;
      const worker = [...(slices ?? [])].find(([, { jobs, releasing }]) => jobs.includes(stream) || releasing?.includes(stream))?.[0];
      if (worker === undefined) {
        terminal.problem(`no worker of SwarmPool ${pool} has the stream ${stream}; \`swarmctl explain\` says why`);
        return exitCodes.no;
      }
      if (!world.pods.some(({ name }) => name === worker)) throw new Trouble(`${worker} has no pod now`);
      const ended = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
      const { logLines } = await import('../cluster/logs.ts');
      const { follow, tail, container } = values;
      try {
        for await (const line of logLines(config, { namespace, name: worker }, { follow, tail, container }, ended.signal))
          if (values.all || line.startsWith(`[${stream}] `)) terminal.lines([line]);
      } catch (error) {
        if (!ended.signal.aborted) throw error;
      }
      return exitCodes.ok;
    }),
);
