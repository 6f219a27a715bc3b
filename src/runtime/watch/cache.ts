// What are the objects of one kind now? The parsed objects of a watch, with indexes.
import { type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import type { Change } from '../client/api.ts';

/** The keys under which an index finds an object, such as the owner of a pod. */
type IndexBy<T> = (value: T) => readonly string[];

export class Cache<T, Index extends string = never> {
  readonly #parse: (object: KubeObject) => T;
  readonly #indexBy: Readonly<Record<Index, IndexBy<T>>>;
  readonly #values = new Map<string, T>();
  readonly #index: Record<Index, Map<string, Set<string>>>;
  /** What `by` returned, until one of these objects changes. */
  readonly #lists: Record<Index, Map<string, readonly T[]>>;

  constructor(parse: (object: KubeObject) => T, indexBy: Readonly<Record<Index, IndexBy<T>>>) {
    this.#parse = parse;
    this.#indexBy = indexBy;
    this.#index = mapValues(indexBy, () => new Map<string, Set<string>>());
    this.#lists = mapValues(indexBy, () => new Map<string, readonly T[]>());
  }

  /** Returns the object before and after: both may wake keys. */
  apply(change: Change): { readonly before: T | undefined; readonly after: T | undefined } {
    const key = keyOf(change.object.metadata);
    const before = this.#values.get(key);
    const after = change.type === 'DELETED' ? undefined : this.#parse(change.object);
    if (before !== undefined) this.#reindex(before, (keys) => keys.delete(key));
    if (after === undefined) this.#values.delete(key);
    else {
      this.#values.set(key, after);
      this.#reindex(after, (keys) => keys.add(key));
    }
    return { before, after };
  }

  /** Replaces a value whose index keys stay the same. */
  replace(ref: Ref, value: T): void {
    if (!this.#values.has(keyOf(ref))) return;
    this.#values.set(keyOf(ref), value);
    // Its keys stay, and the lists that have it go.
    this.#reindex(value, () => undefined);
  }

  get(ref: Ref): T | undefined {
    return this.#values.get(keyOf(ref));
  }

  keys(): IterableIterator<string> {
    return this.#values.keys();
  }

  /** In no particular order. The same list as before while none of these objects has changed. */
  by(index: Index, key: string): readonly T[] {
    const known = this.#lists[index].get(key);
    if (known !== undefined) return known;
    const keys = this.#index[index].get(key);
    if (keys === undefined) return [];
    const list = [...keys].flatMap((at) => {
      const value = this.#values.get(at);
      return value === undefined ? [] : [value];
    });
    this.#lists[index].set(key, list);
    return list;
  }

  has(index: Index, key: string): boolean {
    return this.#index[index].has(key);
  }

  #reindex(value: T, change: (keys: Set<string>) => void): void {
    for (const index of namesOf(this.#indexBy)) {
      const entries = this.#index[index];
      for (const at of this.#indexBy[index](value)) {
        const keys = entries.get(at) ?? new Set<string>();
        change(keys);
        this.#lists[index].delete(at);
        if (keys.size === 0) entries.delete(at);
        else entries.set(at, keys);
      }
    }
  }
}

const namesOf = <K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(record) as K[];

function mapValues<K extends string, V, W>(
  record: Readonly<Record<K, V>>,
  to: (value: V) => W,
): Record<K, W> {
  return Object.fromEntries(namesOf(record).map((key) => [key, to(record[key])])) as Record<K, W>;
}
