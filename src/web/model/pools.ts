// Which pools are there, and how is each doing?
import type { Pool } from '../../api/introspection.ts';
import type { Tone } from './blocks.ts';
import { byName, counted } from './words.ts';

export type KnownPools = ReadonlyMap<string, Pool>;
export type PoolNews =
  | { readonly type: 'all'; readonly pools: readonly Pool[] }
  | { readonly type: 'pool'; readonly pool: Pool }
  | ({ readonly type: 'gone' } & PoolRef);
type PoolRef = Pick<Pool, 'namespace' | 'name'>;

export const keyOf = ({ namespace, name }: PoolRef): string => `${namespace}/${name}`;

export function withNews(known: KnownPools, news: PoolNews): KnownPools {
  switch (news.type) {
    case 'all':
      return sorted(news.pools);
    case 'pool':
      return sorted(
        [...known.values()].filter((pool) => keyOf(pool) !== keyOf(news.pool)).concat(news.pool),
      );
    case 'gone':
      return new Map([...known].filter(([key]) => key !== keyOf(news)));
    default:
      return news satisfies never;
  }
}

const sorted = (pools: readonly Pool[]): KnownPools =>
  new Map(
    pools
      .toSorted((a, b) => byName(a.namespace, b.namespace) || byName(a.name, b.name))
      .map((pool) => [keyOf(pool), pool]),
  );

type Standing = { readonly tone: Tone; readonly word: string; readonly why: string };

const standing = (tone: Tone, word: string, why: string): Standing => ({ tone, word, why });

/** In one word, and why that is so if all is not well. */
export function standingOf(pool: Pool): Standing {
  const { converged, desired, stuck, message, unassigned, doubled } = pool;
  if (pool.isStalled) return standing('bad', 'Stalled', message);
  if (pool.isPaused) return standing('quiet', 'Paused', 'nothing is touched until it is resumed');
  if (stuck > 0)
    return standing('bad', 'Stuck', `${counted(stuck, 'worker')} did not confirm in time`);
  if (doubled > 0)
    return standing('bad', 'Doubled', `${counted(doubled, 'stream')} run at more than one worker`);
  if (!pool.isConverged)
    return standing(
      'busy',
      'Converging',
      `${converged} of ${counted(desired, 'worker')} confirmed`,
    );
  if (unassigned > 0)
    return standing('bad', 'Short of room', `${counted(unassigned, 'stream')} without a worker`);
  return standing('good', 'Converged', '');
}
