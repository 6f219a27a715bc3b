// Worlds of a pool that hands over Exclusive, and what follows each.
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut } from '../../../support/pool-decisions.ts';
import { NOW, world } from '../../../support/pool-worlds.ts';

export const exclusive = (streams = 4, workers = 2): PoolWorld =>
  world({ streams, workers, spec: { handoff: { type: 'Exclusive' } } });
export const decide = (at: PoolWorld) => decidePool(at, NOW);
export const step = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));

/** What a worker reports that it runs. */
export const says = (
  at: PoolWorld,
  ordinal: number,
  version: number,
  jobs: readonly string[],
): PoolWorld => ({
  ...at,
  answers: {
    ...at.answers,
    [`uid-${ordinal}`]: { ok: true, report: { version, jobs, podUid: `uid-${ordinal}` } },
  },
});
