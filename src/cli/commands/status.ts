// swarmctl status: how are the pools, and what is outstanding?
import { kinds } from '../../api/kinds.ts';
import { readPools } from '../cluster/connect.ts';
import { statusCommand } from '../cluster/show-status.ts';
import { poolLines, poolsTable } from '../views/status.ts';

export const status = statusCommand(
  {
    name: 'status',
    what: 'pool',
    summary: 'pools at a glance: workers, loads, what is confirmed and what is not',
    about: `Of one pool its workers as rows: how many streams, how full, the version that each is assigned and the one that it confirmed; and what
is outstanding, since when. Without a name a line for each pool. All of it is what the operator says in the pool's status.`,
    examples: [
      ['swarmctl status tv', 'one pool'],
      ['swarmctl status -A', 'a line for each pool of the cluster'],
      ['swarmctl status tv --watch', 'as it goes on'],
      ['swarmctl status tv --watch --until-ready && echo done', 'in a script, after a change'],
    ],
  },
  { kind: kinds.SwarmPool, read: readPools, one: poolLines, list: poolsTable },
);
