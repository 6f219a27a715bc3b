// Which kinds are shown? One row for each.
import { GroupSnapshots } from './groups.ts';
import { PoolSnapshots } from './pools.ts';
import { QueueSnapshots } from './queues/snapshots.ts';

export const noSnapshots = () => ({
  pools: new PoolSnapshots(),
  groups: new GroupSnapshots(),
  queues: new QueueSnapshots(),
});

export type AllSnapshots = ReturnType<typeof noSnapshots>;
