// What is published for a pool, and what do its lists say? Read once for each version.
import {
  exceededBy,
  MOST_LOCATIONS,
  MOST_NAMED,
  MOST_OF_POOL,
  MOST_READ,
  MOST_STREAMS,
  type Size,
  together,
} from '../../api/bounds.ts';
import { isName, keyOf, type Ref } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { ReadStreamList } from '../../api/stream-list.ts';
import type { SwarmPool } from '../../api/validate.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import type { TurnScheduler } from '../../runtime/queue/turn-scheduler.ts';
import type { ConfigMaps } from '../../runtime/store/config-maps.ts';
import {
  ANNOTATION_MOVED_TO,
  LABEL_POOL,
  ownership,
  sizeOfAll,
  sizeOfKey,
} from '../publish/config-map.ts';
import {
  assignmentIn,
  pathOf,
  publishedInTurns,
  publishedNow,
  shardsOf,
  withEarlier,
} from '../publish/published.ts';
import { type NamedList, sourceOf } from '../streams/streams.ts';
import type { Published, PublishedShard, Shard } from '../world.ts';
import { believedShard } from './known-versions.ts';
import type { Readings } from './texts/readings.ts';

/** Changes when one of the lists does. */
export const versionsOfLists = (
  configMaps: Pick<ConfigMaps, 'versionOf'>,
  { meta: { namespace }, spec }: SwarmPool,
): string =>
  listsOf(spec)
    .map(({ name, key }) => `${name} ${key} ${configMaps.versionOf({ namespace, name })}`)
    .join();

const listsOf = (
  spec: SwarmPool['spec'],
): readonly { readonly name: string; readonly key: string }[] =>
  spec.ok ? (spec.value.streamsFrom ?? []).map(({ configMapKeyRef }) => configMapKeyRef) : [];

type Location = Shard & { readonly configMap: ConfigMap };

export class Publications {
  readonly #configMaps: ConfigMaps;
  readonly #readings: Readings;
  readonly #scheduler: Pick<TurnScheduler, 'run'>;
  /** By pool: lists that are too long together, which are not read again before they change. */
  readonly #tooLong = new Map<
    string,
    { readonly versions: string; readonly lists: readonly NamedList[] }
  >();

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
    const room = new Room(name);
    try {
      const current = await this.#current(pool, shards, room);
      const earlier = await this.#earlier(pool, shards, current, room);
      const readable = earlier.filter(({ read }) => read?.ok === true);
      const all = [...current, ...readable];
      const workers = all.reduce(
        (sum, shard) => sum + (assignmentIn(shard)?.workloads.size ?? 0),
        0,
      );
      room.bound(workers, MOST_NAMED, 'workers');
      const published = publishedInTurns(withEarlier(current, readable, shards.length));
      return (await this.#scheduler.run(namespace, published)).value;
    } finally {
      if (room.isExceeded)
        for (const seen of room.seen) this.#configMaps.release({ namespace, name: seen });
    }
  }

  async #current(
    pool: SwarmPool,
    shards: readonly Shard[],
    room: Room,
  ): Promise<readonly PublishedShard[]> {
    const { namespace, name } = pool.meta;
    const found = await inBatches(shards, async (shard) => {
      const configMap = await this.#configMaps.get({ namespace, name: shard.name });
      return configMap === undefined ? [] : [{ ...shard, configMap: room.take(configMap) }];
    });
    // Another owner's ConfigMap says nothing about this pool's workers.
    return this.#read(pool, found, (it) => ownership(it.configMap, name, it.key) !== 'foreign');
  }

  async #earlier(
    pool: SwarmPool,
    shards: readonly Shard[],
    current: readonly PublishedShard[],
    room: Room,
  ): Promise<readonly PublishedShard[]> {
    const { namespace, name } = pool.meta;
    // The watch may not know yet what a mark names; without it the version would be too low.
    const marks = current.flatMap(({ configMap: { annotations } }) => {
      const movedTo = annotations[ANNOTATION_MOVED_TO];
      return movedTo !== undefined && isName(movedTo) ? [movedTo] : [];
    });
    const names = [...new Set([...this.#configMaps.labelled({ namespace, name }), ...marks])];
    room.bound(names.length, MOST_LOCATIONS, 'ConfigMaps');
    const labelled = await inBatches(names, async (found) => {
      const configMap = await this.#configMaps.seek({ namespace, name: found });
      // A user may write a mark that names a ConfigMap of another owner.
      const isForeign = marks.includes(found) && configMap?.labels[LABEL_POOL] !== name;
      if (isForeign) this.#configMaps.release({ namespace, name: found });
      return configMap === undefined || isForeign ? [] : [room.take(configMap)];
    });
    const wanted = new Set(shards.map(pathOf));
    const locations = labelled.flatMap((configMap) =>
      Object.keys(configMap.data)
        .map((key) => ({ name: configMap.name, key, configMap }))
        .filter((location) => !wanted.has(pathOf(location))),
    );
    room.bound(locations.length, MOST_LOCATIONS, 'keys');
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

  forget(pool: Ref): void {
    this.#tooLong.delete(keyOf(pool));
  }

  /** Parses no list beyond the bounds of a pool. Undefined: there is no memory for the lists. */
  async readLists(
    pool: SwarmPool,
    tryReserve: (size: Size) => boolean,
  ): Promise<readonly NamedList[] | undefined> {
    const { namespace } = pool.meta;
    const key = keyOf(pool.meta);
    const versions = versionsOfLists(this.#configMaps, pool);
    const before = this.#tooLong.get(key);
    if (before?.versions === versions) return before.lists;
    this.#tooLong.delete(key);
    const found = await Promise.all(
      listsOf(pool.spec).map(async (ref) => {
        const configMap = await this.#configMaps.get({ namespace, name: ref.name });
        return { source: sourceOf(ref), key: ref.key, configMap };
      }),
    );
    const size = together(
      found.flatMap(({ configMap, key: list }) =>
        configMap === undefined ? [] : [sizeOfKey(configMap, list)],
      ),
    );
    const exceeded = exceededBy(size, MOST_OF_POOL);
    if (exceeded !== undefined) {
      const read = tooLong(`the lists have ${exceeded}`);
      const lists = found.map(({ source, configMap }) => ({
        source,
        read: configMap === undefined ? undefined : read,
      }));
      this.#tooLong.set(key, { versions, lists });
      for (const { name } of listsOf(pool.spec)) this.#configMaps.release({ namespace, name });
      return lists;
    }
    if (!tryReserve(size)) return undefined;
    let count = 0;
    const lists: NamedList[] = [];
    for (const { source, key: list, configMap } of found) {
      const read =
        configMap === undefined
          ? undefined
          : count > MOST_STREAMS
            ? tooLong(`more than ${MOST_STREAMS} streams, the most that a pool can have`)
            : await this.#readings.readList(configMap, list);
      if (read?.ok === true) count += read.streams.length;
      lists.push({ source, read });
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

/** Bounds what is read for one pool, whichever ConfigMaps carry its label. */
class Room {
  readonly #pool: string;
  readonly seen = new Set<string>();
  isExceeded = false;
  #size: Size = together([]);

  constructor(pool: string) {
    this.#pool = pool;
  }

  /** Throws when it is too much. */
  take(configMap: ConfigMap): ConfigMap {
    if (this.seen.has(configMap.name)) return configMap;
    this.seen.add(configMap.name);
    this.#size = together([this.#size, sizeOfAll(configMap)]);
    const exceeded = exceededBy(this.#size, MOST_READ);
    if (exceeded !== undefined) this.#exceed(exceeded);
    return configMap;
  }

  /** Throws when there are more. */
  bound(count: number, most: number, what: string): void {
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
