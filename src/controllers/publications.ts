// What is published for a pool, and what do the lists say that it names? Read from ConfigMaps, once for each version.
import { isName } from '../api/objects.ts';
import type { SwarmPool, SwarmPoolSpec } from '../api/validate.ts';
import { ANNOTATION_MOVED_TO, LABEL_POOL } from '../core/meta.ts';
import { ownership } from '../core/pool/publish/publish.ts';
import { type PublishedShard, shardsOf, withEarlier } from '../core/pool/publish/published.ts';
import { type NamedList, sourceOf } from '../core/pool/streams.ts';
import type { ConfigMaps } from './config-maps.ts';
import type { Readings } from './readings.ts';

export class Publications {
  readonly #configMaps: ConfigMaps;
  readonly #readings: Readings;

  constructor(configMaps: ConfigMaps, readings: Readings) {
    this.#configMaps = configMaps;
    this.#readings = readings;
  }

  /** Under its names and keys, and whatever else it wrote: with another number of shards, or another key, it goes on from there. */
  async of({ namespace, name }: SwarmPool['meta'], spec: SwarmPoolSpec): Promise<readonly PublishedShard[]> {
    const shards = shardsOf(name, spec);
    const isCurrent = (place: string, key: string): boolean => shards.some((shard) => shard.name === place && shard.key === key);
    const current = await Promise.all(
      shards.map(async (shard) => {
        const configMap = await this.#configMaps.get({ namespace, name: shard.name });
        if (configMap === undefined) return [];
        // What stands in another's ConfigMap says nothing of this pool's workers.
        const isForeign = ownership(configMap, name, shard.key) === 'foreign';
        return [{ ...shard, configMap, read: isForeign ? undefined : this.#readings.assignment(configMap, shard.key) }];
      }),
    );
    // Who sees the mark, and not yet what it names, would go on from a version that is not the last.
    const marks = current.flat().flatMap(({ configMap: { annotations } }) => {
      const place = annotations[ANNOTATION_MOVED_TO];
      return place !== undefined && isName(place) ? [place] : [];
    });
    const earlier = await Promise.all(
      [...new Set([...this.#configMaps.ofPool({ namespace, name }), ...marks])].map(async (place) => {
        const configMap = await this.#configMaps.seek({ namespace, name: place });
        // Anybody may write a mark, and name what belongs to others.
        if (marks.includes(place) && configMap?.labels[LABEL_POOL] !== name) return [];
        return Object.keys(configMap?.data ?? {}).flatMap((key) =>
          configMap === undefined || isCurrent(place, key)
            ? []
            : [{ name: place, key, configMap, read: this.#readings.assignment(configMap, key) }],
        );
      }),
    );
    const readable = earlier.flat().filter(({ read: reading }) => reading?.ok === true);
    return withEarlier(current.flat(), readable, shards.length);
  }

  lists(namespace: string, spec: SwarmPoolSpec): Promise<readonly NamedList[]> {
    return Promise.all(
      (spec.streamsFrom ?? []).map(async ({ configMapKeyRef: { name, key } }) => {
        const configMap = await this.#configMaps.get({ namespace, name });
        return { source: sourceOf({ name, key }), read: configMap === undefined ? undefined : this.#readings.list(configMap, key) };
      }),
    );
  }
}
