// swarmctl history: what has changed, when, and how long did it take until all workers confirmed?
import type { SwarmPoolStatus } from '../../api/validate.ts';
import {
  type Command,
  clusterFlags,
  command,
  exitCodes,
  output,
  poolExitCodes,
} from '../arguments/command.ts';
import { print } from '../arguments/terminal.ts';
import { readPool, withCluster } from '../cluster/connect.ts';
import { right, type Table, tableLines } from '../render.ts';
import { ageText, sinceText } from '../views/time.ts';

export const history: Command = command(
  {
    name: 'history',
    summary: 'show the last changes of a pool: when, why, how many moves, how long',
    operands: { usage: 'POOL', least: 1, most: 1 },
    about: `Shows the last 20 changes, newest first: the cause of each, how many streams moved to another worker, and how long it took until every
worker had confirmed (a dash: the next change came before that).

${poolExitCodes}`,
    examples: [['swarmctl history tv', 'one pool']],
    flags: { output, ...clusterFlags },
  },
  ({ values, operands: [name = ''] }, terminal) =>
    withCluster(values, async (cluster) => {
      const changes = (await readPool(cluster, name)).status?.history ?? [];
      print(terminal, values.output, changes, () =>
        tableLines(tableOf(changes, Date.now()), terminal.width),
      );
      return exitCodes.ok;
    }),
);

type Change = NonNullable<SwarmPoolStatus['history']>[number];

const tableOf = (changes: readonly Change[], now: number): Table => ({
  columns: [...['VERSION', 'AGE', 'MOVES', 'TOOK'].map(right), 'REASON'],
  rows: changes.map(({ version, moves, reason, publishTime, convergenceTime }) => [
    version,
    sinceText(publishTime, now),
    moves,
    convergenceTime && ageText(Date.parse(convergenceTime) - Date.parse(publishTime)),
    reason,
  ]),
});
