// What stands in a ConfigMap? All are known by name and version; those that matter are read, once
// for each version.
import { kinds } from '../../api/kinds.ts';
import { isNewer, type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import { type ConfigMap, parseConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { LABEL_POOL } from '../../core/meta.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import type { Change } from '../../runtime/watch/watcher.ts';
import { isBelieved } from '../publish/belief.ts';
import { changeOf } from '../publish/notes.ts';

export class ConfigMaps {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #versions = new Map<string, string>();
  readonly #read = new Map<string, ConfigMap>();
  /** `namespace/pool` -> the names of what carries the pool's label. */
  readonly #labelled = new Map<string, Set<string>>();
  readonly #labels = new Map<string, string>();

  /**
   * By pool: the highest version that a ConfigMap of it was ever seen to note, whatever became of
   * it since.
   */
  readonly #noted = new Map<string, number>();

  readonly #recordOf: (pool: Ref) => number;

  /** `recordOf`: the version in the status of a pool. */
  constructor(api: Pick<KubeApi, 'get'>, recordOf: (pool: Ref) => number = () => 0) {
    this.#api = api;
    this.#recordOf = recordOf;
  }

  /** From a watch of metadata; the answers to our own writes bring the whole object. */
  apply({ type, object, isRestored }: Change): void {
    const key = keyOf(object.metadata);
    this.#relabel(
      key,
      object,
      type === 'DELETED' ? undefined : object.metadata.labels?.[LABEL_POOL],
    );
    if (type === 'DELETED') {
      this.#versions.delete(key);
      this.#read.delete(key);
      return;
    }
    // What was read under this version, or a later one, may have been of another time.
    if (isRestored) this.#read.delete(key);
    this.#versions.set(key, object.metadata.resourceVersion ?? '');
    this.#note(object);
    if ('data' in object) this.#keep(object);
  }

  /** Those with the pool's label, by name. */
  ofPool({ namespace, name }: Ref): readonly string[] {
    return [
      ...(this.#labelled.get(keyOf({ ...(namespace !== undefined && { namespace }), name })) ?? []),
    ].sort();
  }

  /** One that was published and is gone before anybody looked at it had a version all the same. */
  highestNoted(pool: Ref): number {
    return this.#noted.get(keyOf(pool)) ?? 0;
  }

  /** Its pool is gone; what stands there yet may be restored from an older copy all the same. */
  forgetNoted(pool: Ref): void {
    if (this.ofPool(pool).length === 0) this.#noted.delete(keyOf(pool));
  }

  #note({ metadata: { namespace = '', labels, annotations = {} } }: KubeObject): void {
    const pool = labels?.[LABEL_POOL];
    if (pool === undefined) return;
    const key = keyOf({ namespace, name: pool });
    const version = changeOf({ annotations })?.version ?? 0;
    if (!isBelieved(version, this.#recordOf({ namespace, name: pool }))) return;
    this.#noted.set(key, Math.max(this.#noted.get(key) ?? 0, version));
  }

  #relabel(key: string, { metadata }: KubeObject, label: string | undefined): void {
    const before = this.#labels.get(key);
    if (before === label) return;
    const place = (pool: string): string => `${metadata.namespace}/${pool}`;
    if (before !== undefined) this.#labelled.get(place(before))?.delete(metadata.name);
    if (label === undefined) this.#labels.delete(key);
    else {
      this.#labels.set(key, label);
      this.#labelled.set(
        place(label),
        (this.#labelled.get(place(label)) ?? new Set()).add(metadata.name),
      );
    }
  }

  /** Undefined: it is not there, by all that is known. */
  versionOf(ref: Ref): string | undefined {
    return this.#versions.get(keyOf(ref));
  }

  /** Of the lists that a spec names, as one text: another one when one of them has changed. */
  versionsOf(namespace: string, { streamsFrom = [] }: Pick<SwarmPoolSpec, 'streamsFrom'>): string {
    return streamsFrom
      .map(
        ({ configMapKeyRef: { name, key } }) =>
          `${name} ${key} ${this.versionOf({ namespace, name })}`,
      )
      .join();
  }

  /** Nobody needs what stands in it any more: it is read again if somebody does. */
  release(ref: Ref): void {
    this.#read.delete(keyOf(ref));
  }

  /** As it is by all that is known here; or newer. */
  async get(ref: Ref): Promise<ConfigMap | undefined> {
    const key = keyOf(ref);
    const version = this.#versions.get(key);
    if (version === undefined) return undefined;
    const known = this.#read.get(key);
    return known !== undefined && !isNewer(version, known.resourceVersion)
      ? known
      : this.#fetch(ref, version);
  }

  /** Also one that no watch has told of yet. */
  async seek(ref: Ref): Promise<ConfigMap | undefined> {
    return this.#versions.has(keyOf(ref)) ? this.get(ref) : this.#fetch(ref, '');
  }

  async #fetch(ref: Ref, least: string): Promise<ConfigMap | undefined> {
    try {
      const object = await this.#api.get(kinds.ConfigMap, ref);
      // Nothing would wake those who went by it when the API server has caught up.
      if (isNewer(least, object.metadata.resourceVersion ?? ''))
        throw new KubeError(
          'Unavailable',
          `ConfigMap ${keyOf(ref)} was read as it was before its last change`,
        );
      return this.#keep(object);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      if (least !== '' && this.#versions.get(keyOf(ref)) === least)
        throw new KubeError(
          'Unavailable',
          `ConfigMap ${keyOf(ref)} is gone, and no watch has reported its deletion yet`,
        );
      return undefined;
    }
  }

  #keep(object: KubeObject): ConfigMap {
    const key = keyOf(object.metadata);
    const known = this.#read.get(key);
    // Two that asked at the same time go on with the same text, and with what was read in it.
    if (known !== undefined && isSame(known, object)) return known;
    const configMap = parseConfigMap(object);
    this.#read.set(key, configMap);
    return configMap;
  }
}

const isSame = ({ uid, resourceVersion }: ConfigMap, { metadata }: KubeObject): boolean =>
  uid === metadata.uid && resourceVersion === metadata.resourceVersion;
