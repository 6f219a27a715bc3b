// What is published for a pool, and what do its lists say? Read from ConfigMaps once for each
// version.
import {
  excessOf,
  MOST_NAMED,
  MOST_OF_POOL,
  MOST_PLACES,
  MOST_READ,
  MOST_STREAMS,
  type Size,
  together,
} from '../../api/bounds.ts';
import { isName, keyOf, type Ref } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { ReadStreamList } from '../../api/stream-list.ts';
import type { SwarmPool, SwarmPoolSpec } from '../../api/validate.ts';
import { ANNOTATION_MOVED_TO, LABEL_POOL } from '../../core/meta.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { Thread } from '../../runtime/queue/thread.ts';
import type { ConfigMaps } from '../../runtime/store/config-maps.ts';
import { believedShard } from '../publish/belief.ts';
import { ownership } from '../publish/ownership.ts';
import {
  type Published,
  type PublishedShard,
  publishedInPieces,
  shardsOf,
  withEarlier,
} from '../publish/published.ts';
import { type NamedList, sourceOf } from '../streams.ts';
import { sizeOfAll, sizeOfKey } from './memory/measures.ts';
import type { Readings } from './texts/readings.ts';

/** Changes when one of the lists does. */
export const versionsOfLists = (
  configMaps: Pick<ConfigMaps, 'versionOf'>,
  namespace: string,
  { streamsFrom = [] }: Pick<SwarmPoolSpec, 'streamsFrom'>,
): string =>
  streamsFrom
    .map(
      ({ configMapKeyRef: { name, key } }) =>
        `${name} ${key} ${configMaps.versionOf({ namespace, name })}`,
    )
    .join();

export class Publications {
  readonly #configMaps: ConfigMaps;
  readonly #readings: Readings;
  readonly #thread: Pick<Thread, 'run'>;
  /** By pool: lists that are too long together, which are not read again before they change. */
  readonly #tooLong = new Map<
    string,
    { readonly versions: string; readonly lists: readonly NamedList[] }
  >();

  constructor(configMaps: ConfigMaps, readings: Readings, thread: Pick<Thread, 'run'>) {
    this.#configMaps = configMaps;
    this.#readings = readings;
    this.#thread = thread;
  }

  /**
   * Reads the ConfigMaps that the spec names and all others with the pool's label: a pool with
   * another name, key or number of shards continues from what it published before. `record`: the
   * version in status.
   */
  async of(pool: SwarmPool['meta'], spec: SwarmPoolSpec, record: number): Promise<Published> {
    const room = new Room(pool.name);
    try {
      return await this.#find(pool, spec, record, room);
    } finally {
      if (room.isExceeded)
        for (const name of room.seen) this.#configMaps.release({ namespace: pool.namespace, name });
    }
  }

  async #find(
    { namespace, name }: SwarmPool['meta'],
    spec: SwarmPoolSpec,
    record: number,
    room: Room,
  ): Promise<Published> {
    const shards = shardsOf(name, spec);
    const isCurrent = (place: string, key: string): boolean =>
      shards.some((shard) => shard.name === place && shard.key === key);
    const found = await inBatches(shards, async (shard) => {
      const configMap = await this.#configMaps.get({ namespace, name: shard.name });
      return configMap === undefined ? [] : [{ ...shard, configMap: room.with(configMap) }];
    });
    const current: PublishedShard[] = [];
    for (const { configMap, ...shard } of found) {
      // A foreign ConfigMap says nothing of this pool's workers.
      const isForeign = ownership(configMap, name, shard.key) === 'foreign';
      const read = isForeign ? undefined : await this.#readings.assignment(configMap, shard.key);
      current.push(believedShard({ ...shard, configMap, read }, record));
    }
    // The watch may not know the ConfigMap yet that a mark names; without it the version would be
    // too low.
    const marks = current.flatMap(({ configMap: { annotations } }) => {
      const place = annotations[ANNOTATION_MOVED_TO];
      return place !== undefined && isName(place) ? [place] : [];
    });
    const places = [...new Set([...this.#configMaps.labelled({ namespace, name }), ...marks])];
    if (places.length > MOST_PLACES)
      throw room.excess(`${places.length} ConfigMaps, and ${MOST_PLACES} are allowed`);
    const labelled = await inBatches(places, async (place) => {
      const configMap = await this.#configMaps.seek({ namespace, name: place });
      // A user may write a mark that names a ConfigMap of another owner.
      if (
        configMap === undefined ||
        (marks.includes(place) && configMap.labels[LABEL_POOL] !== name)
      )
        return [];
      return [room.with(configMap)];
    });
    const keys = labelled.flatMap((configMap) =>
      Object.keys(configMap.data).flatMap((key) =>
        isCurrent(configMap.name, key) ? [] : [{ name: configMap.name, key, configMap }],
      ),
    );
    if (keys.length > MOST_PLACES)
      throw room.excess(`${keys.length} keys, and ${MOST_PLACES} are allowed`);
    const earlier: PublishedShard[] = [];
    for (const place of keys)
      earlier.push(
        believedShard(
          { ...place, read: await this.#readings.assignment(place.configMap, place.key) },
          record,
        ),
      );
    const readable = earlier.filter(({ read: reading }) => reading?.ok === true);
    const workers = [...current, ...readable].reduce(
      (sum, { read }) => sum + (read?.ok === true ? read.assignment.workloads.size : 0),
      0,
    );
    if (workers > MOST_NAMED)
      throw room.excess(`${workers} workers, and ${MOST_NAMED} are allowed`);
    const all = withEarlier(current, readable, shards.length);
    return (await this.#thread.run(namespace, publishedInPieces(all))).value;
  }

  forget(pool: Ref): void {
    this.#tooLong.delete(keyOf(pool));
  }

  /** Parses no list beyond the bounds of a pool. Undefined: there is no memory for the lists. */
  async lists(
    { namespace, name: pool }: Pick<SwarmPool['meta'], 'namespace' | 'name'>,
    spec: SwarmPoolSpec,
    hasRoom: (size: Size) => boolean = () => true,
  ): Promise<readonly NamedList[] | undefined> {
    const key = keyOf({ namespace, name: pool });
    const versions = versionsOfLists(this.#configMaps, namespace, spec);
    const before = this.#tooLong.get(key);
    if (before?.versions === versions) return before.lists;
    this.#tooLong.delete(key);
    const found = await Promise.all(
      (spec.streamsFrom ?? []).map(async ({ configMapKeyRef: { name, key } }) => {
        const configMap = await this.#configMaps.get({ namespace, name });
        return { source: sourceOf({ name, key }), key, configMap };
      }),
    );
    const sizes = found.flatMap(({ configMap, key }) =>
      configMap === undefined ? [] : [sizeOfKey(configMap, key)],
    );
    const size = together(sizes);
    const excess = excessOf(size, MOST_OF_POOL);
    if (excess !== undefined) {
      const read = tooLong(`the lists have ${excess}`);
      const lists = found.map(({ source, configMap }) => ({
        source,
        read: configMap === undefined ? undefined : read,
      }));
      this.#tooLong.set(key, { versions, lists });
      for (const {
        configMapKeyRef: { name },
      } of spec.streamsFrom ?? [])
        this.#configMaps.release({ namespace, name });
      return lists;
    }
    if (!hasRoom(size)) return undefined;
    let count = 0;
    const lists: NamedList[] = [];
    for (const { source, key, configMap } of found) {
      if (configMap === undefined) lists.push({ source, read: undefined });
      else if (count > MOST_STREAMS)
        lists.push({
          source,
          read: tooLong(`more than ${MOST_STREAMS} streams, which is what a pool can have`),
        });
      else {
        const read = await this.#readings.list(configMap, key);
        if (read?.ok === true) count += read.streams.length;
        lists.push({ source, read });
      }
    }
    return lists;
  }
}

const tooLong = (message: string): ReadStreamList => ({
  ok: false,
  isTooMany: true,
  problems: [
    { field: 'spec.streamsFrom', message: `${message}; divide them between several pools` },
  ],
});

/**
 * Bounds what is read for one pool, whichever ConfigMaps carry its label: at most one batch too
 * many.
 */
class Room {
  readonly #pool: string;
  readonly seen = new Set<string>();
  isExceeded = false;
  #size: Size = together([]);

  constructor(pool: string) {
    this.#pool = pool;
  }

  with(configMap: ConfigMap): ConfigMap {
    if (this.seen.has(configMap.name)) return configMap;
    this.seen.add(configMap.name);
    this.#size = together([this.#size, sizeOfAll(configMap)]);
    const excess = excessOf(this.#size, MOST_READ);
    if (excess !== undefined) throw this.excess(excess);
    return configMap;
  }

  excess(what: string): KubeError {
    this.isExceeded = true;
    const labels = `${LABEL_POOL}=${this.#pool}`;
    return new KubeError(
      'Invalid',
      `the ConfigMaps of the pool hold too much (${what}): look at \`kubectl get configmaps -l ${labels}\`, and delete what is not its own`,
    );
  }
}

const BATCH = 4;

async function inBatches<T, U>(
  items: readonly T[],
  read: (item: T) => Promise<readonly U[]>,
): Promise<readonly U[]> {
  const found: U[] = [];
  for (let at = 0; at < items.length; at += BATCH)
    for (const part of await Promise.all(items.slice(at, at + BATCH).map(read)))
      for (const it of part) found.push(it);
  return found;
}
