// Which pools exist, and how is each doing?
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

/** All streams have a worker, but some only keep it in spite of an error in their entry. */
const keptReasons: ReadonlySet<string> = new Set(['TooHeavy', 'PinnedWorkerMissing']);

export function standingOf(pool: Pool): Standing {
  const { converged, desired, stuck, message, unassigned, doubled, failing = 0, down } = pool;
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
  if (pool.firstDown !== undefined)
    return standing('bad', 'Down', `${downText(down)}; ${pool.firstDown}`);
  if (pool.reason === 'PodsNotReady') return standing('bad', 'Pods not ready', message);
  if (!pool.isConverged) {
    const confirmed = `${converged} of ${counted(desired, 'worker')} confirmed`;
    const wait = `${counted(down, 'stream')} ${down === 1 ? 'waits for its' : 'wait for their'} worker`;
    return standing('busy', 'Converging', down === 0 ? confirmed : `${confirmed}; ${wait}`);
  }
  if (unassigned > 0)
    return standing('bad', 'Unassigned', `${counted(unassigned, 'stream')} without a worker`);
  if (keptReasons.has(pool.reason)) return standing('bad', 'Error in the list', pool.message);
  if (failing > 0) return standing('bad', 'Failing', failingText(pool));
  if (pool.isComplete === true)
    return standing(
      'good',
      'Complete',
      `all work is done: ${counted(pool.completed ?? 0, 'stream')} completed`,
    );
  return standing('good', 'Converged', '');
}

export const downText = (down: number): string =>
  `${counted(down, 'stream')} ${down === 1 ? 'is' : 'are'} down`;

/** With the names of the first failing streams. */
function failingText({ failing = 0, failingNames = [] }: Pool): string {
  if (failingNames.length === 0) return failText(failing);
  const more = failing - failingNames.length;
  const names = more > 0 ? [...failingNames, `${more} more`] : failingNames;
  return `${failText(failing)}: ${names.join(', ')}`;
}
