// What does an API server remember? Objects, one growing version for all, and every change in order, until it is compacted.
import { apiVersionOf, type Kind } from '../../src/api/kinds.ts';
import { asRecord, asString, dig, isRecord, type KubeObject, keyOf, type Ref } from '../../src/api/objects.ts';
import type { WatchEvent } from '../../src/kube/api.ts';
import { KubeError } from '../../src/kube/errors.ts';

export type Logged = { readonly version: number; readonly event: WatchEvent };

export type Place = { readonly kind: Kind; readonly namespace?: string | undefined };

const collection = (kind: Kind): string => `${kind.group}/${kind.plural}`;
const place = (kind: Kind, ref: Ref): string => `${collection(kind)} ${keyOf(kind.namespaced ? ref : { name: ref.name })}`;

export class Store {
  version = 10;
  #uids = 0;
  #compactedAt = 0;
  readonly #objects = new Map<string, KubeObject>();
  readonly #log: (Logged & Place)[] = [];
  readonly #listeners = new Set<() => void>();

  find(kind: Kind, ref: Ref): KubeObject | undefined {
    return this.#objects.get(place(kind, ref));
  }

  get(kind: Kind, ref: Ref): KubeObject {
    const found = this.find(kind, ref);
    if (found === undefined) throw new KubeError('NotFound', `${kind.plural} "${ref.name}" not found`, { status: 404 });
    return found;
  }

  all({ kind, namespace }: Place): KubeObject[] {
    const start = `${collection(kind)} `;
    return [...this.#objects]
      .filter(([at, { metadata }]) => at.startsWith(start) && (namespace === undefined || metadata.namespace === namespace))
      .map(([, object]) => object);
  }

  /** As somebody else would: whatever is there. */
  put(kind: Kind, ref: Ref, fields: Readonly<Record<string, unknown>> = {}): KubeObject {
    const present = this.find(kind, ref);
    const base = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...fields };
    return present === undefined
      ? this.create(kind, { ...base, metadata: { ...ref } })
      : this.#write(kind, { ...base, metadata: present.metadata });
  }

  create(kind: Kind, object: KubeObject): KubeObject {
    if (this.find(kind, object.metadata) !== undefined) {
      throw new KubeError('AlreadyExists', `${kind.plural} "${object.metadata.name}" already exists`, { status: 409 });
    }
    this.#uids += 1;
    const identity = { uid: `uid-${this.#uids}`, creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 };
    return this.#write(kind, { ...object, metadata: { ...object.metadata, ...identity } });
  }

  replace(kind: Kind, object: KubeObject, subresource?: string): KubeObject {
    const present = this.#matching(kind, object.metadata, object.metadata);
    if (subresource !== 'status') return this.#write(kind, { ...object, metadata: { ...present.metadata, ...object.metadata } });
    return this.#write(kind, { ...present, status: object['status'] });
  }

  merge(kind: Kind, ref: Ref, body: object): KubeObject {
    const metadata = asRecord(dig(body, 'metadata')) ?? {};
    const present = this.#matching(kind, ref, { uid: asString(metadata['uid']), resourceVersion: asString(metadata['resourceVersion']) });
    return this.#write(kind, {
      ...present,
      ...merged(present, body),
      metadata: { ...present.metadata, ...merged(present.metadata, metadata) },
    });
  }

  remove(kind: Kind, ref: Ref): void {
    const present = this.get(kind, ref);
    this.version += 1;
    const object = { ...present, metadata: { ...present.metadata, resourceVersion: String(this.version) } };
    this.#objects.delete(place(kind, ref));
    this.#tell(kind, { type: 'DELETED', object });
  }

  /** What changed after a version; Gone when that is not remembered any more. */
  since(at: Place, version: number): readonly Logged[] {
    if (version < this.#compactedAt) throw new KubeError('Gone', `too old resource version: ${version}`, { status: 410 });
    return this.#log.filter((entry) => entry.version > version && isIn(entry, at));
  }

  /** All that was ever told, for those who replay it. */
  history(at: Place): readonly Logged[] {
    return this.#log.filter((entry) => isIn(entry, at));
  }

  compact(): void {
    this.version += 1;
    this.#compactedAt = this.version;
  }

  onChange(run: () => void): () => void {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  #matching(kind: Kind, ref: Ref, asked: { uid?: string | undefined; resourceVersion?: string | undefined }): KubeObject {
    const present = this.get(kind, ref);
    const { uid, resourceVersion } = present.metadata;
    if ((asked.uid ?? uid) === uid && (asked.resourceVersion ?? resourceVersion) === resourceVersion) return present;
    throw new KubeError('Conflict', `${kind.plural} "${ref.name}": the object has been modified`, { status: 409 });
  }

  #write(kind: Kind, object: KubeObject): KubeObject {
    const type = this.find(kind, object.metadata) === undefined ? 'ADDED' : 'MODIFIED';
    this.version += 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.version) } };
    this.#objects.set(place(kind, written.metadata), written);
    this.#tell(kind, { type, object: written });
    return written;
  }

  #tell(kind: Kind, event: WatchEvent): void {
    this.#log.push({ kind, namespace: event.object.metadata.namespace, version: this.version, event });
    for (const listener of [...this.#listeners]) listener();
  }
}

const isIn = (entry: Place, at: Place): boolean =>
  collection(entry.kind) === collection(at.kind) && (at.namespace === undefined || entry.namespace === at.namespace);

/** JSON merge patch. */
function merged(into: unknown, patch: unknown): Record<string, unknown> {
  const result: Record<string, unknown> = { ...(asRecord(into) ?? {}) };
  for (const [name, value] of Object.entries(asRecord(patch) ?? {})) {
    if (value === null) delete result[name];
    else result[name] = isRecord(value) ? merged(result[name], value) : value;
  }
  return result;
}
