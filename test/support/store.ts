// What does an API server store? Objects, one growing version for all, and every change in order,
// until it is compacted.
import { apiVersionOf, type Kind } from '../../src/api/kinds.ts';
import {
  asNumber,
  asRecord,
  asString,
  dig,
  type ExactRef,
  isRecord,
  type KubeObject,
  keyOf,
  type Ref,
} from '../../src/api/objects.ts';
import type { PatchOperation } from '../../src/core/decision.ts';
import type { Preconditions, WatchEvent } from '../../src/runtime/client/api.ts';
import { KubeError } from '../../src/runtime/client/errors.ts';
import { patched } from './json-patch.ts';

export type Logged = { readonly version: number; readonly at: number; readonly event: WatchEvent };

export type ListScope = { readonly kind: Kind; readonly namespace?: string | undefined };

/** The preconditions on the stored object. */
type Asked = { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };

type Collection = {
  readonly kind: Kind;
  readonly objects: Map<string, KubeObject>;
  readonly log: Logged[];
  readonly listeners: Set<() => void>;
};

const nameOf = (kind: Kind, ref: Ref): string => keyOf(kind.namespaced ? ref : { name: ref.name });

export class Store {
  version = 10;
  /** How often the store was restored: its watchers must list again after each. */
  restores = 0;
  #uids = 0;
  #compactedAt = 0;
  readonly #collections = new Map<string, Collection>();
  readonly #now: () => number;
  /**
   * Versions from before a restoration, which are not assigned again: the same version with other
   * contents would be chance, and prove nothing.
   */
  readonly #given = new Set<string>();

  constructor(now: () => number = () => Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  find(kind: Kind, ref: Ref): KubeObject | undefined {
    return this.#of(kind).objects.get(nameOf(kind, ref));
  }

  get(kind: Kind, ref: Ref): KubeObject {
    const found = this.find(kind, ref);
    if (found === undefined)
      throw new KubeError('NotFound', `${kind.plural} "${ref.name}" not found`, { status: 404 });
    return found;
  }

  all({ kind, namespace }: ListScope): KubeObject[] {
    const all = [...this.#of(kind).objects.values()];
    return namespace === undefined
      ? all
      : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** A write by another client, without preconditions. */
  put(kind: Kind, ref: Ref, fields: Readonly<Record<string, unknown>> = {}): KubeObject {
    const present = this.find(kind, ref);
    const base = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...fields };
    return present === undefined
      ? this.create(kind, { ...base, metadata: { ...ref } })
      : this.write(kind, { ...base, metadata: present.metadata });
  }

  create(kind: Kind, object: KubeObject): KubeObject {
    if (this.find(kind, object.metadata) !== undefined) {
      throw new KubeError(
        'AlreadyExists',
        `${kind.plural} "${object.metadata.name}" already exists`,
        { status: 409 },
      );
    }
    this.#uids += 1;
    const creationTimestamp = `${new Date(this.#now()).toISOString().slice(0, 19)}Z`;
    const identity = { uid: `uid-${this.#uids}`, creationTimestamp, generation: 1 };
    return this.write(kind, { ...object, metadata: { ...object.metadata, ...identity } });
  }

  replace(kind: Kind, object: KubeObject, subresource?: string): KubeObject {
    const present = this.matching(kind, object.metadata, object.metadata);
    if (subresource === 'scale') {
      const replicas = asNumber(dig(object, 'spec', 'replicas')) ?? 0;
      return this.write(kind, { ...present, spec: { ...asRecord(present['spec']), replicas } });
    }
    if (subresource === 'status') return this.write(kind, { ...present, status: object['status'] });
    return this.write(kind, { ...object, metadata: { ...present.metadata, ...object.metadata } });
  }

  merge(kind: Kind, ref: Ref, body: object, _subresource?: string): KubeObject {
    const metadata = asRecord(dig(body, 'metadata')) ?? {};
    const uid = asString(metadata['uid']);
    const present = this.matching(kind, ref, {
      resourceVersion: asString(metadata['resourceVersion']),
    });
    if (uid !== undefined && uid !== present.metadata.uid) {
      const message = `${kind.kind} "${ref.name}" is invalid: metadata.uid: Invalid value: "${uid}": field is immutable`;
      throw new KubeError('Stale', message, { status: 422 });
    }
    return this.write(kind, mergedObject(present, body));
  }

  operate(kind: Kind, ref: Ref, operations: readonly PatchOperation[]): KubeObject {
    return this.write(kind, patched(this.get(kind, ref), operations));
  }

  remove(
    kind: Kind,
    ref: Ref,
    preconditions: Preconditions = {},
    _gracePeriodSeconds?: number,
  ): void {
    const present = this.matching(kind, ref, preconditions);
    this.version += 1;
    const object = {
      ...present,
      metadata: { ...present.metadata, resourceVersion: String(this.version) },
    };
    this.#of(kind).objects.delete(nameOf(kind, ref));
    this.#tell(kind, { type: 'DELETED', object });
  }

  evict(kind: Kind, pod: ExactRef & { readonly resourceVersion?: string }): void {
    const { uid, resourceVersion } = pod;
    this.remove(kind, pod, { uid, ...(resourceVersion !== undefined && { resourceVersion }) });
  }

  /** The objects at a version. */
  asOf({ kind, namespace }: ListScope, version: number): KubeObject[] {
    const objects = new Map<string, KubeObject>();
    for (const { version: at, event } of this.history({ kind, namespace })) {
      if (at > version) break;
      if (event.type === 'DELETED') objects.delete(nameOf(kind, event.object.metadata));
      else objects.set(nameOf(kind, event.object.metadata), event.object);
    }
    return [...objects.values()];
  }

  /** The changes after a version; Gone when the history does not reach back that far. */
  since(at: ListScope, version: number): readonly Logged[] {
    if (version < this.#compactedAt)
      throw new KubeError('Gone', `too old resource version: ${version}`, { status: 410 });
    return this.changesAfter(at, version);
  }

  /** The same for clients that never fall behind. */
  changesAfter({ kind, namespace }: ListScope, version: number): readonly Logged[] {
    const { log } = this.#of(kind);
    let from = log.length;
    while (from > 0 && (log[from - 1]?.version ?? 0) > version) from -= 1;
    const news = log.slice(from);
    return namespace === undefined
      ? news
      : news.filter(({ event }) => event.object.metadata.namespace === namespace);
  }

  /** All events so far, to send them again. */
  history(at: ListScope): readonly Logged[] {
    const { log } = this.#of(at.kind);
    return at.namespace === undefined
      ? log
      : log.filter(({ event }) => event.object.metadata.namespace === at.namespace);
  }

  compact(): void {
    this.version += 1;
    this.#compactedAt = this.version;
  }

  /** Keeps the objects, and nothing of what they were before. */
  forgetHistory(): void {
    this.compact();
    for (const { log } of this.#collections.values()) log.splice(0);
  }

  /** The version at an earlier moment. */
  versionAt(at: number): number {
    const before = [...this.#collections.values()].flatMap(
      ({ log }) => log.findLast((it) => it.at <= at)?.version ?? 0,
    );
    return Math.max(10, ...before);
  }

  /**
   * Restores a snapshot, as `etcdutl snapshot restore` does: all objects are as they were at that
   * version. Versions continue from there, so that the same ones are assigned again; or, with
   * `bumpedBy`, from far above, and the history before is dropped.
   */
  restore(version: number, bumpedBy: number | undefined): void {
    for (const { kind, objects, log } of this.#collections.values()) {
      const left = log.filter((it) => it.version <= version);
      for (const it of log)
        if (it.version > version)
          this.#given.add(`${kind.plural} ${keyOf(it.event.object.metadata)} ${it.version}`);
      log.splice(0, log.length, ...left);
      const then = this.asOf({ kind }, version);
      objects.clear();
      for (const object of then) objects.set(nameOf(kind, object.metadata), object);
    }
    this.version = bumpedBy === undefined ? version : this.version + bumpedBy;
    this.#compactedAt = this.version;
    this.restores += 1;
    for (const { listeners } of this.#collections.values())
      for (const listener of [...listeners]) listener();
  }

  /** Called after each change of an object of this kind; the returned function ends it. */
  onChange(kind: Kind, run: () => void): () => void {
    const { listeners } = this.#of(kind);
    listeners.add(run);
    return () => listeners.delete(run);
  }

  /** Conflict if it is another object than requested, or has changed. */
  protected matching(kind: Kind, ref: Ref, asked: Asked): KubeObject {
    const present = this.get(kind, ref);
    const { uid, resourceVersion } = present.metadata;
    if (
      (asked.uid ?? uid) === uid &&
      (asked.resourceVersion ?? resourceVersion) === resourceVersion
    )
      return present;
    throw new KubeError('Conflict', `${kind.plural} "${ref.name}": the object has been modified`, {
      status: 409,
    });
  }

  /** Writing the same contents changes nothing; a change of the spec is a new generation. */
  protected write(kind: Kind, object: KubeObject): KubeObject {
    const present = this.find(kind, object.metadata);
    const { resourceVersion, generation = 1 } = present?.metadata ?? {};
    const isSpecSame = present === undefined || isSame(present['spec'], object['spec']);
    const metadata = {
      ...object.metadata,
      resourceVersion: resourceVersion ?? '',
      generation: isSpecSame ? generation : generation + 1,
    };
    if (present !== undefined && isSame(present, { ...object, metadata })) return present;
    do this.version += 1;
    while (this.#given.has(`${kind.plural} ${keyOf(object.metadata)} ${this.version}`));
    const written = { ...object, metadata: { ...metadata, resourceVersion: String(this.version) } };
    this.#of(kind).objects.set(nameOf(kind, written.metadata), written);
    this.#tell(kind, { type: present === undefined ? 'ADDED' : 'MODIFIED', object: written });
    return written;
  }

  #of(kind: Kind): Collection {
    const { group, plural } = kind;
    const name = `${group}/${plural}`;
    const present = this.#collections.get(name);
    if (present !== undefined) return present;
    const made: Collection = { kind, objects: new Map(), log: [], listeners: new Set() };
    this.#collections.set(name, made);
    return made;
  }

  #tell(kind: Kind, event: WatchEvent): void {
    const { log, listeners } = this.#of(kind);
    log.push({ version: this.version, at: this.#now(), event });
    for (const listener of [...listeners]) listener();
  }
}

const mergedObject = (present: KubeObject, body: object): KubeObject => ({
  ...present,
  ...merged(present, body),
  metadata: { ...present.metadata, ...merged(present.metadata, dig(body, 'metadata')) },
});

/** JSON merge patch. */
export function merged(into: unknown, patch: unknown): Record<string, unknown> {
  const result: Record<string, unknown> = { ...(asRecord(into) ?? {}) };
  for (const [name, value] of Object.entries(asRecord(patch) ?? {})) {
    if (value === null) delete result[name];
    else result[name] = isRecord(value) ? merged(result[name], value) : value;
  }
  return result;
}

/** An absent field is an undefined one. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const key in a) if (!isSame(a[key], b[key])) return false;
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
