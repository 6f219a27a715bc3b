// swarmctl status: how are the pools, and what is outstanding?
import { kinds } from '../../api/kinds.ts';
import type { SwarmPool } from '../../api/validate.ts';
import {
  allNamespaces,
  type Command,
  clusterFlags,
  command,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { readPools, withCluster } from '../cluster/connect.ts';
import { showStatus, watchFlags } from '../cluster/show-status.ts';
import { type Line, tableLines } from '../render.ts';
import { poolLines, poolsTable } from '../views/status.ts';

export const status: Command = command(
  {
    name: 'status',
    summary: 'pools at a glance: workers, loads, what is confirmed and what is not',
    operands: { usage: '[POOL]', least: 0, most: 1 },
    about: `Of one pool its workers as rows: how many streams, how full, the version that each is assigned and the one that it confirmed; and what
is outstanding, since when. Without a name a line for each pool. All of it is what the operator says in the pool's status.

${poolExitCodes}
1 is: a pool is not Ready. With --watch it ends when you end it (Ctrl-C; the code is that of what was so last), or with --until-ready as
soon as all is well.`,
    examples: [
      ['swarmctl status tv', 'one pool'],
      ['swarmctl status -A', 'a line for each pool of the cluster'],
      ['swarmctl status tv --watch', 'as it goes on'],
      ['swarmctl status tv --watch --until-ready && echo done', 'in a script, after a change'],
    ],
    flags: { ...watchFlags, all: allNamespaces, output, ...clusterFlags },
  },
  ({ values, operands: [name] }, terminal) =>
    withCluster(values, (cluster) =>
      showStatus(
        cluster,
        {
          kind: kinds.SwarmPool,
          values,
          isOne: name !== undefined,
          read: () => readPools(cluster, name, values.all),
          lines: (pools, width, isWide) => linesOf(pools, name, width, isWide),
        },
        terminal,
      ),
    ),
);

function linesOf(
  pools: readonly SwarmPool[],
  name: string | undefined,
  width: number,
  isWide: boolean,
): readonly Line[] {
  const [only] = pools;
  if (only === undefined) return ['no SwarmPool here; -A looks into all namespaces'];
  return name !== undefined
    ? poolLines(only, width, isWide, Date.now())
    : tableLines(poolsTable(pools, Date.now()), width);
}
