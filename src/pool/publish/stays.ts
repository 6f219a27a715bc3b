// What becomes of the publication while nothing can be decided?
import type { SwarmPool } from '../../api/validate.ts';
import type { PoolWorld } from '../world.ts';
import { ownShards } from './config-maps.ts';
import { versionIn } from './published.ts';

const IN_FORCE = 'the published assignment stays in force';
const NOTHING = 'nothing is published yet';

const wasPublished = ({ status }: SwarmPool): boolean => (status?.version ?? 0) > 0;

export function whatStays({
  pool,
  published,
  excess,
}: Pick<PoolWorld, 'pool' | 'published' | 'excess'>): string {
  if (excess !== undefined) return whatStaysUnread(pool);
  if (versionIn(ownShards(pool, published)) > 0) return IN_FORCE;
  return wasPublished(pool) ? 'the published assignment is gone' : NOTHING;
}

/** When the ConfigMaps were not read: as status tells. */
export const whatStaysUnread = (pool: SwarmPool): string =>
  wasPublished(pool) ? IN_FORCE : NOTHING;
