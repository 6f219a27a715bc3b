// Which pools are there, and how is each doing?
import type { Pool } from '../../api/introspection.ts';
import { type Known, knownFrom, type ObjectRef, withOne, without } from './known.ts';
import { type Standing, standing } from './standing.ts';
import { counted } from './words.ts';

export type PoolNews =
  | { readonly type: 'all'; readonly pools: readonly Pool[] }
  | { readonly type: 'pool'; readonly pool: Pool }
  | ({ readonly type: 'gone' } & ObjectRef);

export function withNews(known: Known<Pool>, news: PoolNews): Known<Pool> {
  switch (news.type) {
    case 'all':
      return knownFrom(news.pools);
    case 'pool':
      return withOne(known, news.pool);
    case 'gone':
      return without(known, news);
    default:
      return news satisfies never;
  }
}

export const failText = (failing: number): string =>
  `${counted(failing, 'stream')} ${failing === 1 ? 'fails' : 'fail'}`;

/** Where all streams have a worker, some keep it in spite of a mistake. */
const keptReasons: ReadonlySet<string> = new Set(['TooHeavy', 'PinnedWorkerMissing']);

export function standingOf(pool: Pool): Standing {
  const { converged, desired, stuck, message, unassigned, doubled, failing = 0 } = pool;
  if (pool.isStalled) return standing('bad', 'Stalled', message);
  if (pool.isPaused)
    return unassigned > 0
      ? standing(
          'bad',
          'Paused',
          `${counted(unassigned, 'stream')} without a worker until the pool is resumed`,
        )
      : standing('quiet', 'Paused', 'no changes until the pool is resumed');
  if (stuck > 0)
    return standing('bad', 'Stuck', `${counted(stuck, 'worker')} did not confirm in time`);
  if (doubled > 0)
    return standing('bad', 'Doubled', `${counted(doubled, 'stream')} run on more than one worker`);
  if (!pool.isConverged)
    return standing(
      'busy',
      'Converging',
      `${converged} of ${counted(desired, 'worker')} confirmed`,
    );
  if (unassigned > 0)
    return standing('bad', 'Unassigned', `${counted(unassigned, 'stream')} without a worker`);
  if (keptReasons.has(pool.reason)) return standing('bad', 'Error in the list', pool.message);
  if (failing > 0) return standing('bad', 'Failing', failText(failing));
  return standing('good', 'Converged', '');
}
