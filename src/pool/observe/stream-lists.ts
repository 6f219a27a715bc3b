// What do the stream lists of a pool say? Each version is read once.
import { exceededBy, MOST_OF_POOL, MOST_STREAMS, type Size, together } from '../../api/bounds.ts';
import { keyOf, type Ref } from '../../api/objects.ts';
import type { ReadStreamList } from '../../api/stream-list.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { ConfigMaps } from '../../runtime/store/config-maps.ts';
import { sizeOfKey } from '../publish/config-map.ts';
import { type NamedList, sourceOf } from '../streams/streams.ts';
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

export class StreamLists {
  readonly #configMaps: ConfigMaps;
  readonly #readings: Readings;
  /** By pool: lists that are too long together, which are not read again before they change. */
  readonly #tooLong = new Map<
    string,
    { readonly versions: string; readonly lists: readonly NamedList[] }
  >();

  constructor(configMaps: ConfigMaps, readings: Readings) {
    this.#configMaps = configMaps;
    this.#readings = readings;
  }

  forget(pool: Ref): void {
    this.#tooLong.delete(keyOf(pool));
  }

  /** Parses no list beyond the bounds of a pool. Undefined: there is no memory for the lists. */
  async read(
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
