// What do the texts in ConfigMaps say? Each version is parsed once, and never what we wrote
// ourselves.
import { type ReadAssignment, readAssignment } from '../../../api/assignment.ts';
import { keyOf, own, type Ref, refOf } from '../../../api/objects.ts';
import type { ConfigMap } from '../../../api/observed.ts';
import { rereadStreamList } from '../../../api/reread-list.ts';
import { apart, type ReadStreamList, readStreamList } from '../../../api/stream-list.ts';
import type { TurnScheduler } from '../../../runtime/queue/turn-scheduler.ts';
import type { PoolDecision } from '../../decide.ts';
import { sourceOf } from '../../streams/streams.ts';
import type { Reader, Reading } from './long-texts.ts';

/** Shorter texts are parsed faster than they are handed over. */
export const LONG = 50_000;

type Written = {
  readonly pool: string;
  readonly key: string;
  readonly text: string;
  readonly reading: ReadAssignment;
};

export class Readings {
  readonly #assignments = new WeakMap<ConfigMap, Map<string, ReadAssignment>>();
  readonly #lists = new WeakMap<ConfigMap, Map<string, ReadStreamList>>();
  /** By ConfigMap and key: the version of the ConfigMap in which the list was read last. */
  readonly #lastLists = new Map<string, Map<string, WeakRef<ConfigMap>>>();
  /** By ConfigMap: what the last decision writes to it, until it is read back. */
  readonly #written = new Map<string, Written>();
  readonly #scheduler: Pick<TurnScheduler, 'inTurn' | 'elsewhere'>;
  readonly #reader: Reader | undefined;

  /** Without a reader, long texts are parsed on this thread. */
  constructor(scheduler: Pick<TurnScheduler, 'inTurn' | 'elsewhere'>, reader?: Reader) {
    this.#scheduler = scheduler;
    this.#reader = reader;
  }

  readAssignment(configMap: ConfigMap, key: string): Promise<ReadAssignment | undefined> {
    this.#takeWritten(configMap, key);
    return this.#once(this.#assignments, configMap, key, readAssignment, (text, reader) =>
      reader.assignment(text),
    );
  }

  /** The source is part of what a problem says. */
  async readList(configMap: ConfigMap, key: string): Promise<ReadStreamList | undefined> {
    const source = sourceOf({ name: configMap.name, key });
    const lasts = this.#lastLists.get(keyOf(configMap)) ?? new Map<string, WeakRef<ConfigMap>>();
    const last = lasts.get(key)?.deref();
    this.#lastLists.set(keyOf(configMap), lasts.set(key, new WeakRef(configMap)));
    if (last !== undefined && last !== configMap) await this.#reread(last, configMap, key, source);
    return this.#once(
      this.#lists,
      configMap,
      key,
      (text) => apart(readStreamList(text, source)),
      (text, reader) => reader.list(text, source),
    );
  }

  /** Of a list that was edited, the lines that differ from the last version are read here. */
  async #reread(last: ConfigMap, configMap: ConfigMap, key: string, source: string): Promise<void> {
    const text = own(configMap.data, key);
    const before = own(last.data, key);
    const read = this.#lists.get(last)?.get(key);
    if (text === undefined || before === undefined || read === undefined) return;
    await this.#scheduler.inTurn(configMap.namespace, () => {
      const readings = readingsIn(this.#lists, configMap);
      const again = readings.get(key) ?? rereadStreamList(text, source, { text: before, read });
      if (again !== undefined) readings.set(key, again);
    });
  }

  /** A text that is read back as it was written keeps its slices the same objects. */
  expect(pool: string, { writes = [] }: Pick<PoolDecision, 'writes'>): void {
    const { namespace = '' } = refOf(pool);
    for (const { shard, text, assignment } of writes) {
      const { name, key } = shard;
      const reading: ReadAssignment = { ok: true, assignment };
      this.#written.set(keyOf({ namespace, name }), { pool, key, text, reading });
    }
  }

  forget(configMap: Ref): void {
    this.#written.delete(keyOf(configMap));
    this.#lastLists.delete(keyOf(configMap));
  }

  /** Also texts that the pool was about to write and did not. */
  forgetPool(pool: string): void {
    for (const [configMap, written] of this.#written)
      if (written.pool === pool) this.#written.delete(configMap);
  }

  /** What has been read of other keys stays. */
  #takeWritten(configMap: ConfigMap, key: string): void {
    const written = this.#written.get(keyOf(configMap));
    const readings = readingsIn(this.#assignments, configMap);
    if (readings.has(key) || written?.key !== key) return;
    if (written.text !== own(configMap.data, key)) return;
    readings.set(key, written.reading);
    this.#written.delete(keyOf(configMap));
  }

  /** Each text is a turn of its own, so that other work goes on in between. */
  async #once<T>(
    all: WeakMap<ConfigMap, Map<string, T>>,
    configMap: ConfigMap,
    key: string,
    read: (text: string) => T,
    readLong: (text: string, reader: Reader) => Promise<Reading<T>>,
  ): Promise<T | undefined> {
    const text = own(configMap.data, key);
    if (text === undefined) return undefined;
    const readings = readingsIn(all, configMap);
    const keep = (reading: T): T => {
      readings.set(key, reading);
      return reading;
    };
    const present = readings.get(key);
    if (present !== undefined) return present;
    const { namespace } = configMap;
    // Another pool may have read it in the meantime.
    const reader = this.#reader;
    if (reader === undefined || text.length <= LONG)
      return this.#scheduler.inTurn(namespace, () => keep(readings.get(key) ?? read(text)));
    return this.#scheduler.elsewhere(namespace, async () => {
      const before = readings.get(key);
      if (before !== undefined) return { value: before, workedMs: 0 };
      const reading = await readLong(text, reader);
      keep(reading.value);
      return reading;
    });
  }
}

function readingsIn<T>(
  all: WeakMap<ConfigMap, Map<string, T>>,
  configMap: ConfigMap,
): Map<string, T> {
  const readings = all.get(configMap) ?? new Map<string, T>();
  all.set(configMap, readings);
  return readings;
}
