// What is published for a pool, and what do the lists say that it names? Read from ConfigMaps, once for each version.
import { excessOf, MOST_OF_POOL, MOST_PLACES, MOST_READ, MOST_STREAMS, type Size, together } from '../api/bounds.ts';
import { isName } from '../api/objects.ts';
import type { ConfigMap } from '../api/observed.ts';
import type { ReadStreamList } from '../api/stream-list.ts';
import type { SwarmPool, SwarmPoolSpec } from '../api/validate.ts';
import { ANNOTATION_MOVED_TO, LABEL_POOL } from '../core/meta.ts';
import { believedShard } from '../core/pool/publish/belief.ts';
import { ownership } from '../core/pool/publish/publish.ts';
import { type PublishedShard, shardsOf, withEarlier } from '../core/pool/publish/published.ts';
import { type NamedList, sourceOf } from '../core/pool/streams.ts';
import { KubeError } from '../kube/errors.ts';
import type { ConfigMaps } from './config-maps.ts';
import { sizeOfAll, sizeOfKey } from './measures.ts';
import type { Readings } from './readings.ts';

export class Publications {
  readonly #configMaps: ConfigMaps;
  readonly #readings: Readings;

  constructor(configMaps: ConfigMaps, readings: Readings) {
    this.#configMaps = configMaps;
    this.#readings = readings;
  }

  /** `record`: the version in status. Under its names and keys, and whatever else it wrote: with another number of shards, or another key, it goes on from there. */
  async of({ namespace, name }: SwarmPool['meta'], spec: SwarmPoolSpec, record: number): Promise<readonly PublishedShard[]> {
    const shards = shardsOf(name, spec);
    const isCurrent = (place: string, key: string): boolean => shards.some((shard) => shard.name === place && shard.key === key);
    const room = new Room(name);
    const found = await inBatches(shards, async (shard) => {
      const configMap = await this.#configMaps.get({ namespace, name: shard.name });
      return configMap === undefined ? [] : [{ ...shard, configMap: room.with(configMap) }];
    });
    const current = found.map(({ configMap, ...shard }): PublishedShard => {
      // What stands in another's ConfigMap says nothing of this pool's workers.
      const isForeign = ownership(configMap, name, shard.key) === 'foreign';
      const read = isForeign ? undefined : this.#readings.assignment(configMap, shard.key);
      return believedShard({ ...shard, configMap, read }, record);
    });
    // Who sees the mark, and not yet what it names, would go on from a version that is not the last.
    const marks = current.flatMap(({ configMap: { annotations } }) => {
      const place = annotations[ANNOTATION_MOVED_TO];
      return place !== undefined && isName(place) ? [place] : [];
    });
    const places = [...new Set([...this.#configMaps.ofPool({ namespace, name }), ...marks])];
    if (places.length > MOST_PLACES) throw room.excess(`${places.length} ConfigMaps, and ${MOST_PLACES} are allowed`);
    const labelled = await inBatches(places, async (place) => {
      const configMap = await this.#configMaps.seek({ namespace, name: place });
      // Anybody may write a mark, and name what belongs to others.
      if (configMap === undefined || (marks.includes(place) && configMap.labels[LABEL_POOL] !== name)) return [];
      return [room.with(configMap)];
    });
    const keys = labelled.flatMap((configMap) =>
      Object.keys(configMap.data).flatMap((key) => (isCurrent(configMap.name, key) ? [] : [{ name: configMap.name, key, configMap }])),
    );
    if (keys.length > MOST_PLACES) throw room.excess(`${keys.length} keys, and ${MOST_PLACES} are allowed`);
    const earlier = keys.map((place) => believedShard({ ...place, read: this.#readings.assignment(place.configMap, place.key) }, record));
    const readable = earlier.filter(({ read: reading }) => reading?.ok === true);
    return withEarlier(current, readable, shards.length);
  }

  /** No more is parsed of lists that are too long together. */
  async lists(namespace: string, spec: SwarmPoolSpec): Promise<readonly NamedList[]> {
    const found = await Promise.all(
      (spec.streamsFrom ?? []).map(async ({ configMapKeyRef: { name, key } }) => {
        const configMap = await this.#configMaps.get({ namespace, name });
        return { source: sourceOf({ name, key }), key, configMap };
      }),
    );
    const sizes = found.flatMap(({ configMap, key }) => (configMap === undefined ? [] : [sizeOfKey(configMap, key)]));
    const excess = excessOf(together(sizes), MOST_OF_POOL);
    let count = 0;
    return found.map(({ source, key, configMap }) => {
      if (configMap === undefined) return { source, read: undefined };
      if (excess !== undefined) return { source, read: tooLong(`the lists have ${excess}`) };
      if (count > MOST_STREAMS) return { source, read: tooLong(`more than ${MOST_STREAMS} streams, which is what a pool can have`) };
      const read = this.#readings.list(configMap, key);
      if (read?.ok === true) count += read.streams.length;
      return { source, read };
    });
  }
}

const tooLong = (message: string): ReadStreamList => ({
  ok: false,
  isTooMany: true,
  problems: [{ field: 'spec.streamsFrom', message: `${message}; divide them between several pools` }],
});

/** How much is read for one pool, whatever carries its label: counted as it comes, so that no more than a batch of it is ever too much. */
class Room {
  readonly #pool: string;
  readonly #seen = new Set<string>();
  #size: Size = together([]);

  constructor(pool: string) {
    this.#pool = pool;
  }

  with(configMap: ConfigMap): ConfigMap {
    if (this.#seen.has(configMap.name)) return configMap;
    this.#seen.add(configMap.name);
    this.#size = together([this.#size, sizeOfAll(configMap)]);
    const excess = excessOf(this.#size, MOST_READ);
    if (excess !== undefined) throw this.excess(excess);
    return configMap;
  }

  excess(what: string): KubeError {
    const labels = `${LABEL_POOL}=${this.#pool}`;
    return new KubeError(
      'Invalid',
      `the ConfigMaps of the pool hold too much (${what}): look at \`kubectl get configmaps -l ${labels}\`, and delete what is not its own`,
    );
  }
}

const BATCH = 4;

async function inBatches<T, U>(items: readonly T[], read: (item: T) => Promise<readonly U[]>): Promise<readonly U[]> {
  const found: U[] = [];
  for (let at = 0; at < items.length; at += BATCH)
    for (const part of await Promise.all(items.slice(at, at + BATCH).map(read))) for (const it of part) found.push(it);
  return found;
}
