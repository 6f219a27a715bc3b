// Which objects has a watcher reported, and at which version? None is reported twice at the same
// version, nor an older state after a newer one.
import { apiVersionOf, type Kind } from '../../api/kinds.ts';
import { isNewer, type KubeObject, keyOf, refOf } from '../../api/objects.ts';
import type { Change, Listing } from '../client/api.ts';

type KnownVersion = { readonly uid: string; readonly resourceVersion: string };

/** `onChange` throws nothing: a version is noted before its change is told. */
type KnownOptions = { readonly kind: Kind; readonly onChange: (change: Change) => void };

export class KnownObjects {
  readonly #options: KnownOptions;
  readonly #versions = new Map<string, KnownVersion>();

  constructor(options: KnownOptions) {
    this.#options = options;
  }

  get versions(): ReadonlyMap<string, KnownVersion> {
    return this.#versions;
  }

  /** `isRestored`: versions start anew, so every listed object is reported again. */
  takeList({ items, resourceVersion }: Listing, isRestored: boolean): void {
    if (isRestored)
      for (const [key, { uid }] of this.#versions)
        this.#versions.set(key, { uid, resourceVersion: '0' });
    const present = new Set<string>();
    for (const object of items) {
      present.add(keyOf(object.metadata));
      if (object.metadata.resourceVersion !== undefined)
        this.put(object, object.metadata.resourceVersion, isRestored);
    }
    for (const [key, known] of [...this.#versions]) {
      // An object newer than the list is our own write meanwhile; the next watch reports it.
      if (!present.has(key) && !isNewer(known.resourceVersion, resourceVersion)) this.#remove(key);
    }
  }

  put(object: KubeObject, version: string, isRestored = false): void {
    const key = keyOf(object.metadata);
    const known = this.#versions.get(key);
    if (known !== undefined && !isNewer(version, known.resourceVersion)) return;
    const uid = object.metadata.uid ?? '';
    if (known !== undefined && known.uid !== uid) this.#remove(key);
    this.#versions.set(key, { uid, resourceVersion: version });
    const type = known === undefined || known.uid !== uid ? 'ADDED' : 'MODIFIED';
    this.#options.onChange({ type, object, ...(isRestored && { isRestored }) });
  }

  /** Unless our own write has created a successor since. */
  delete(object: KubeObject, version: string): void {
    const key = keyOf(object.metadata);
    const known = this.#versions.get(key);
    if (known !== undefined && !isNewer(known.resourceVersion, version)) this.#remove(key, object);
  }

  /**
   * The list is newer than all that was seen (after `etcdutl snapshot restore --bump-revision`,
   * say), but objects in it are older.
   */
  isSetBack({ items, resourceVersion }: Listing): boolean {
    return items.some(({ metadata: { uid = '', resourceVersion: version = '0', ...at } }) => {
      const known = this.#versions.get(keyOf(at));
      if (known === undefined || isNewer(known.resourceVersion, resourceVersion)) return false;
      return (
        isNewer(known.resourceVersion, version) ||
        (known.uid !== uid && known.resourceVersion === version)
      );
    });
  }

  #remove(key: string, last?: KubeObject): void {
    const known = this.#versions.get(key);
    if (known === undefined) return;
    this.#versions.delete(key);
    this.#options.onChange({ type: 'DELETED', object: last ?? this.#tombstone(key, known) });
  }

  /** Of an object deleted in a gap only its identity is known. */
  #tombstone(key: string, known: KnownVersion): KubeObject {
    const { kind } = this.#options;
    return {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { ...refOf(key), ...known },
    };
  }
}

/**
 * By object: the version in the list, or '' where the list lacks the object. The watch may be ahead
 * of the list or behind it; neither counts as lost. A list has no version of a deletion, so a
 * deletion was lost only if two lists show it.
 */
export function missedIn(
  listing: Listing,
  known: ReadonlyMap<string, KnownVersion>,
  seen: string,
): ReadonlyMap<string, string> {
  const missed = new Map<string, string>();
  const listed = new Set<string>();
  for (const { metadata } of listing.items) {
    const key = keyOf(metadata);
    const version = metadata.resourceVersion ?? '0';
    listed.add(key);
    if (!isNewer(version, seen) && isNewer(version, known.get(key)?.resourceVersion ?? ''))
      missed.set(key, version);
  }
  for (const [key, { resourceVersion }] of known)
    if (!listed.has(key) && !isNewer(resourceVersion, listing.resourceVersion)) missed.set(key, '');
  return missed;
}

export const isFoundTwice = (
  first: ReadonlyMap<string, string>,
  second: ReadonlyMap<string, string>,
): boolean => [...second].some(([key, version]) => first.get(key) === version);
