// What is published for a pool, in the ConfigMaps that its spec names and in those that it left?
import {
  exceededBy,
  MOST_LOCATIONS,
  MOST_NAMED,
  MOST_READ,
  type Size,
  together,
} from '../../api/bounds.ts';
import { isName } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPool } from '../../api/validate.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { TurnScheduler } from '../../runtime/queue/turn-scheduler.ts';
import type { ConfigMaps } from '../../runtime/store/config-maps.ts';
import { ANNOTATION_MOVED_TO, LABEL_POOL, ownership, sizeOfAll } from '../publish/config-map.ts';
import {
  assignmentIn,
  pathOf,
  publishedInTurns,
  publishedNow,
  shardsOf,
  withEarlier,
} from '../publish/published.ts';
import type { Published, PublishedShard, Shard } from '../world.ts';
import { believedShard } from './known-versions.ts';
import type { Readings } from './texts/readings.ts';

type Location = Shard & { readonly configMap: ConfigMap };

export class Publications {
  readonly #configMaps: ConfigMaps;
  readonly #readings: Readings;
  readonly #scheduler: Pick<TurnScheduler, 'run'>;

  constructor(configMaps: ConfigMaps, readings: Readings, scheduler: Pick<TurnScheduler, 'run'>) {
    this.#configMaps = configMaps;
    this.#readings = readings;
    this.#scheduler = scheduler;
  }

  /** Also from other ConfigMaps with the pool's label: it continues from where it was published. */
  async read(pool: SwarmPool): Promise<Published> {
    if (!pool.spec.ok) return publishedNow([]);
    const { namespace, name } = pool.meta;
    const shards = shardsOf(name, pool.spec.value);
    const bounds = new ReadBounds(name);
    try {
      const current = await this.#current(pool, shards, bounds);
      const earlier = await this.#earlier(pool, shards, current, bounds);
      const readable = earlier.filter(({ read }) => read?.ok === true);
      const all = [...current, ...readable];
      const workers = all.reduce(
        (sum, shard) => sum + (assignmentIn(shard)?.workloads.size ?? 0),
        0,
      );
      bounds.check(workers, MOST_NAMED, 'workers');
      const published = publishedInTurns(withEarlier(current, readable, shards.length));
      return (await this.#scheduler.run(namespace, published)).value;
    } finally {
      if (bounds.isExceeded)
        for (const seen of bounds.seen) this.#configMaps.release({ namespace, name: seen });
    }
  }

  async #current(
    pool: SwarmPool,
    shards: readonly Shard[],
    bounds: ReadBounds,
  ): Promise<readonly PublishedShard[]> {
    const { namespace, name } = pool.meta;
    const found = await inBatches(shards, async (shard) => {
      const configMap = await this.#configMaps.get({ namespace, name: shard.name });
      return configMap === undefined ? [] : [{ ...shard, configMap: bounds.add(configMap) }];
    });
    // Another owner's ConfigMap says nothing about this pool's workers.
    return this.#read(pool, found, (it) => ownership(it.configMap, name, it.key) !== 'foreign');
  }

  async #earlier(
    pool: SwarmPool,
    shards: readonly Shard[],
    current: readonly PublishedShard[],
    bounds: ReadBounds,
  ): Promise<readonly PublishedShard[]> {
    const { namespace, name } = pool.meta;
    // The watch may not know yet what a mark names; without it the version would be too low.
    const marks = current.flatMap(({ configMap: { annotations } }) => {
      const movedTo = annotations[ANNOTATION_MOVED_TO];
      return movedTo !== undefined && isName(movedTo) ? [movedTo] : [];
    });
    const names = [...new Set([...this.#configMaps.labelled({ namespace, name }), ...marks])];
    bounds.check(names.length, MOST_LOCATIONS, 'ConfigMaps');
    const labelled = await inBatches(names, async (found) => {
      const configMap = await this.#configMaps.seek({ namespace, name: found });
      // A user may write a mark that names a ConfigMap of another owner.
      const isForeign = marks.includes(found) && configMap?.labels[LABEL_POOL] !== name;
      if (isForeign) this.#configMaps.release({ namespace, name: found });
      return configMap === undefined || isForeign ? [] : [bounds.add(configMap)];
    });
    const wanted = new Set(shards.map(pathOf));
    const locations = labelled.flatMap((configMap) =>
      Object.keys(configMap.data)
        .map((key) => ({ name: configMap.name, key, configMap }))
        .filter((location) => !wanted.has(pathOf(location))),
    );
    bounds.check(locations.length, MOST_LOCATIONS, 'keys');
    return this.#read(pool, locations);
  }

  /** One after the other: each reading may take long. */
  async #read(
    { status }: SwarmPool,
    locations: readonly Location[],
    isOurs: (location: Location) => boolean = () => true,
  ): Promise<readonly PublishedShard[]> {
    const shards: PublishedShard[] = [];
    for (const location of locations) {
      const read = isOurs(location)
        ? await this.#readings.readAssignment(location.configMap, location.key)
        : undefined;
      shards.push(believedShard({ ...location, read }, status?.version ?? 0));
    }
    return shards;
  }
}

/** Bounds what is read for one pool, whichever ConfigMaps carry its label. */
class ReadBounds {
  readonly #pool: string;
  readonly seen = new Set<string>();
  isExceeded = false;
  #size: Size = together([]);

  constructor(pool: string) {
    this.#pool = pool;
  }

  /** Throws when all of them are too large together. */
  add(configMap: ConfigMap): ConfigMap {
    if (this.seen.has(configMap.name)) return configMap;
    this.seen.add(configMap.name);
    this.#size = together([this.#size, sizeOfAll(configMap)]);
    const exceeded = exceededBy(this.#size, MOST_READ);
    if (exceeded !== undefined) this.#exceed(exceeded);
    return configMap;
  }

  /** Throws when there are more. */
  check(count: number, most: number, what: string): void {
    if (count > most) this.#exceed(`${count} ${what}, and ${most} are allowed`);
  }

  #exceed(what: string): never {
    this.isExceeded = true;
    const labels = `${LABEL_POOL}=${this.#pool}`;
    throw new KubeError(
      'Invalid',
      `the ConfigMaps of the pool are too large (${what}): look at \`kubectl get configmaps -l ${labels}\`, and delete those that do not belong to it`,
    );
  }
}

const BATCH = 4;

async function inBatches<T, U>(
  items: readonly T[],
  read: (item: T) => Promise<readonly U[]>,
): Promise<readonly U[]> {
  const found: U[] = [];
  for (let at = 0; at < items.length; at += BATCH) {
    // All of them, also when one fails: what they read is released then.
    const parts = await Promise.allSettled(items.slice(at, at + BATCH).map(read));
    for (const part of parts) {
      if (part.status === 'rejected') throw part.reason;
      for (const it of part.value) found.push(it);
    }
  }
  return found;
}
