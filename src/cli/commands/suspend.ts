// swarmctl suspend: which streams keep their worker and do not run? Written to spec.streams.
import { kinds } from '../../api/kinds.ts';
import {
  type Command,
  clusterFlags,
  command,
  exitCodes,
  poolExitCodes,
} from '../arguments/command.ts';
import type { Terminal } from '../arguments/terminal.ts';
import { type Cluster, readPool, withCluster } from '../cluster/connect.ts';
import { patchSpecStreams, readSpecStreams } from '../cluster/spec-stream.ts';

/** One patch has them all. */
export const MOST_STREAMS_AT_ONCE = 100;

export const suspend: Command = command(
  {
    name: 'suspend',
    summary: 'stop streams until they are resumed; they keep their workers',
    operands: { usage: 'POOL STREAM...', least: 2, most: MOST_STREAMS_AT_ONCE + 1 },
    about: `Writes \`suspend: true\` to these streams in spec.streams. The worker stops the process; the stream keeps its worker and its weight. If a
stream comes from a ConfigMap (spec.streamsFrom), change it there. The command suspends all of the streams, or none.

${poolExitCodes}`,
    examples: [
      ['swarmctl suspend tv cctv0:updated', 'the camera is off until next week'],
      [
        'swarmctl suspend tv cnbc cars:new',
        'two streams; `swarmctl resume tv cnbc` starts one of them again',
      ],
    ],
    flags: clusterFlags,
  },
  ({ values, operands: [pool = '', ...streams] }, terminal) =>
    withCluster(values, async (cluster) => {
      await setSuspended(cluster, pool, streams, true, terminal);
      return exitCodes.ok;
    }),
);

export async function setSuspended(
  cluster: Cluster,
  name: string,
  streams: readonly string[],
  isSuspended: boolean,
  terminal: Terminal,
): Promise<void> {
  const pool = await readPool(cluster, name);
  const found = await readSpecStreams(cluster, pool, streams);
  const changed = found.filter(({ stream }) => (stream.suspend === true) !== isSuspended);
  const value = isSuspended ? true : undefined;
  if (changed.length > 0)
    await patchSpecStreams(
      cluster,
      name,
      changed.map((it) => ({ ...it, field: 'suspend', value })),
    );
  for (const it of found) {
    const what = `stream ${it.stream.name} of ${kinds.SwarmPool.kind} ${cluster.namespace}/${name}`;
    terminal.out(`${what} ${saidOf(isSuspended, changed.includes(it))}`);
  }
}

function saidOf(isSuspended: boolean, isChanged: boolean): string {
  if (isSuspended) return isChanged ? 'is suspended, and keeps its worker' : 'is already suspended';
  return isChanged ? 'is no longer suspended' : 'is not suspended';
}
