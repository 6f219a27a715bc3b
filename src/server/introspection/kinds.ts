// Of which kinds is anything shown? One row for each.
import { PoolSnapshots } from './pools.ts';

export const noSnapshots = () => ({ pools: new PoolSnapshots() });

export type AllSnapshots = ReturnType<typeof noSnapshots>;
