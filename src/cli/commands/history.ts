// swarmctl history: what has changed, when, and how long did it take until all had confirmed?
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { type Command, command, exitCodes } from '../arguments/command.ts';
import { clusterFlags, output, poolExitCodes } from '../arguments/shared.ts';
import { withCluster } from '../cluster/connect.ts';
import { readPool } from '../cluster/pools.ts';
import { type Cell, type Table, tableLines } from '../render.ts';
import { tell } from '../views/output.ts';
import { ageText, sinceText } from '../views/time.ts';

export const history: Command = command(
  {
    name: 'history',
    summary: 'the last changes of a pool: when, why, how many moves, how long',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `The last 20 changes, the newest first: what brought each about, how many streams changed their worker, and how long it took until every
worker had confirmed (a dash: they had not before the next change came).

${poolExitCodes}`,
    examples: [['swarmctl history tv', 'one pool']],
    flags: { output, ...clusterFlags },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const changes = (await readPool(cluster, name)).status?.history ?? [];
      tell(terminal, values.output, changes, () =>
        tableLines(tableOf(changes, Date.now()), terminal.width),
      );
      return exitCodes.ok;
    }),
);

type Change = NonNullable<SwarmPoolStatus['history']>[number];

const tableOf = (changes: readonly Change[], now: number): Table => ({
  columns: [
    { title: 'VERSION', align: 'right' },
    { title: 'AGE', align: 'right' },
    { title: 'MOVES', align: 'right' },
    { title: 'TOOK', align: 'right' },
    { title: 'REASON' },
  ],
  rows: changes.map(({ version, moves, reason, publishTime, convergenceTime }): Cell[] => [
    String(version),
    sinceText(publishTime, now),
    String(moves),
    convergenceTime === undefined
      ? '-'
      : ageText(Date.parse(convergenceTime) - Date.parse(publishTime)),
    reason,
  ]),
});
