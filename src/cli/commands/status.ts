// swarmctl status: how are the pools, and what is outstanding?
import { kinds } from '../../api/kinds.ts';
import { readPools } from '../cluster/connect.ts';
import { statusCommand } from '../cluster/show-status.ts';
import { poolLines, poolsTable } from '../views/status.ts';

export const status = statusCommand(
  {
    name: 'status',
    what: 'pool',
    summary: 'show pools, their workers and loads, and what is unconfirmed',
    about: `For one pool: a row for each worker with its number of streams, its load, its assigned version and the version that it confirmed; and
what is outstanding, since when. Without a name: a line for each pool. All of it comes from the pool's status, which the operator writes.`,
    examples: [
      ['swarmctl status tv', 'one pool'],
      ['swarmctl status -A', 'a line for each pool of the cluster'],
      ['swarmctl status tv --watch', 'keep it up to date'],
      [
        'swarmctl status tv --watch --until-ready && echo done',
        'in a script, wait for a change to complete',
      ],
    ],
  },
  { kind: kinds.SwarmPool, read: readPools, one: poolLines, list: poolsTable },
);
