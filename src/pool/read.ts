// What has to be read before a pool is observed? Its streams, its ConfigMaps, and what other pools
// publish: the one step that waits, takes memory and fills caches, besides the watches.
import { kinds } from '../api/kinds.ts';
import { keyOf, refOf } from '../api/objects.ts';
import type { ConfigMap } from '../api/observed.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Change, KubeApi } from '../runtime/client/api.ts';
import { KubeError } from '../runtime/client/errors.ts';
import type { PoolCaches } from './observe/caches.ts';
import { isWithheld } from './observe/pools.ts';
import { ANNOTATION_WHEN_DELETED } from './publish/config-map.ts';
import type { PoolWorld } from './world.ts';

type ReadingSources = {
  readonly api: Pick<KubeApi, 'serves'>;
  readonly caches: PoolCaches;
  /** Streams that were withheld for lack of memory have been read. */
  readonly onPool: (change: Change) => void;
};

export type ReadPool =
  | ({ readonly kind: 'Whole'; readonly pool: SwarmPool } & Pick<
      PoolWorld,
      'published' | 'lists' | 'predecessor'
    >)
  /** There is no memory for it, for this reason: nothing of it was read. */
  | { readonly kind: 'Withheld'; readonly pool: SwarmPool; readonly exceededBy: string }
  /** `marked`: its ConfigMaps that are to be deleted with it. `isServed`: its kind still is. */
  | {
      readonly kind: 'Deleted';
      readonly marked: readonly ConfigMap[];
      readonly isServed: boolean;
    };

/** Undefined for a deleted pool that left nothing behind. */
export async function readPool(
  sources: ReadingSources,
  key: string,
): Promise<ReadPool | undefined> {
  const { caches } = sources;
  const { targets, pools, memory, publications, formerWorkers } = caches;
  const known = pools.get(refOf(key));
  if (known === undefined) return readDeleted(sources, key);
  if (!memory.tryReserve(known, targets.meantBy(known))) return withheld(caches, known);
  const pool = await whole(sources, known);
  const published = await publications.read(pool);
  formerWorkers.note(pool, published);
  const lists = await caches.lists.read(pool, (size) =>
    memory.tryReserveTexts(pool, targets.meantBy(pool), size, published),
  );
  if (lists === undefined) return withheld(caches, pool);
  memory.correct(pool, targets.meantBy(pool), lists);
  const predecessor = await formerWorkers.readPredecessor(pool);
  return { kind: 'Whole', pool, published, lists, predecessor };
}

async function readDeleted(
  { api, caches: { configMaps, deletedPools } }: ReadingSources,
  key: string,
): Promise<ReadPool | undefined> {
  const pool = refOf(key);
  if (!deletedPools.has(key)) return undefined;
  const found = await Promise.all(
    configMaps.labelled(pool).map((name) => configMaps.get({ ...pool, name })),
  );
  const marked = found
    .filter((it) => it !== undefined)
    .filter(({ annotations }) => annotations[ANNOTATION_WHEN_DELETED] === 'Delete');
  if (marked.length === 0) return undefined;
  return { kind: 'Deleted', marked, isServed: await api.serves(kinds.SwarmPool) };
}

/** Frees all that this pool alone needs. */
function withheld(caches: PoolCaches, seen: SwarmPool): ReadPool {
  const pool = caches.withhold(seen);
  const exceededBy = caches.memory.exceededBy(pool, caches.targets.meantBy(pool));
  return { kind: 'Withheld', pool, exceededBy };
}

/** With its streams: there is memory for them now. */
async function whole(
  { caches: { pools }, onPool }: ReadingSources,
  pool: SwarmPool,
): Promise<SwarmPool> {
  if (!isWithheld(pool)) return pool;
  onPool(await pools.readWhole(pool));
  const found = pools.get(pool.meta);
  if (found !== undefined && !isWithheld(found)) return found;
  throw new KubeError(
    'Unavailable',
    `SwarmPool ${keyOf(pool.meta)}: memory was reclaimed while loading; retrying`,
  );
}
