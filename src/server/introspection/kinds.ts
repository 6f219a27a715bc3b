// Which kinds are shown? One row for each.
import { GroupSnapshots } from './groups.ts';
import { PoolSnapshots } from './pools.ts';

export const noSnapshots = () => ({ pools: new PoolSnapshots(), groups: new GroupSnapshots() });

export type AllSnapshots = ReturnType<typeof noSnapshots>;
