// What is in a ConfigMap? All are watched by their metadata; the contents of those that matter are
// read, once for each version. Cached once for all kinds.
import { kinds, metadataOf } from '../../api/kinds.ts';
import { isNewer, type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import { type ConfigMap, parseConfigMap } from '../../api/observed.ts';
import { slimConfigMap } from '../../api/slim.ts';
import type { Change, KubeApi } from '../client/api.ts';
import { hasCode, KubeError } from '../client/errors.ts';
import type { Subscription } from '../watch/subscriptions.ts';

/** The label and annotation of ConfigMaps that a kind looks for. */
export type Marks = { readonly label: string; readonly annotation: string };

export class ConfigMaps {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #versions = new Map<string, string>();
  readonly #read = new Map<string, ConfigMap>();
  /** `namespace/value` of the label -> names of ConfigMaps. */
  readonly #labelled = new Map<string, Set<string>>();
  readonly #labels = new Map<string, string>();
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #label: string;

  /** Every kind adds this to its own subscriptions. */
  readonly subscription: Subscription;

  constructor(api: Pick<KubeApi, 'get'>, { label, annotation }: Marks) {
    this.#api = api;
    this.#label = label;
    this.subscription = {
      kind: metadataOf(kinds.ConfigMap),
      slim: (object) => ('data' in object ? object : slimConfigMap(object, label, annotation)),
      onChange: (change) => this.apply(change),
    };
  }

  listen(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** A change from the watch of metadata, or the whole object from the answer to an own write. */
  apply(change: Change): void {
    const { type, object, isRestored } = change;
    const key = keyOf(object.metadata);
    const isGone = type === 'DELETED';
    this.#relabel(key, object, isGone ? undefined : object.metadata.labels?.[this.#label]);
    if (isGone) this.#versions.delete(key);
    else this.#versions.set(key, object.metadata.resourceVersion ?? '');
    // After a restoration, an equal version may have had other contents.
    if (isGone || isRestored) this.#read.delete(key);
    if (!isGone && 'data' in object) this.#keep(object);
    for (const listener of this.#listeners) listener(change);
  }

  /** Names of ConfigMaps with this value of the label. */
  labelled({ namespace, name: value }: Ref): readonly string[] {
    const place = keyOf({ ...(namespace !== undefined && { namespace }), name: value });
    return [...(this.#labelled.get(place) ?? [])].sort();
  }

  /** Undefined: it does not exist, as far as the watch knows. */
  versionOf(ref: Ref): string | undefined {
    return this.#versions.get(keyOf(ref));
  }

  /** Drops the contents; they are read again when needed. */
  release(ref: Ref): void {
    this.#read.delete(keyOf(ref));
  }

  /** At the version that the watch knows, or newer. */
  async get(ref: Ref): Promise<ConfigMap | undefined> {
    const key = keyOf(ref);
    const version = this.#versions.get(key);
    if (version === undefined) return undefined;
    const known = this.#read.get(key);
    return known !== undefined && !isNewer(version, known.resourceVersion)
      ? known
      : this.#fetch(ref, version);
  }

  /** Also a ConfigMap that the watch has not reported yet. */
  async seek(ref: Ref): Promise<ConfigMap | undefined> {
    return this.#versions.has(keyOf(ref)) ? this.get(ref) : this.#fetch(ref, '');
  }

  #relabel(key: string, { metadata }: KubeObject, label: string | undefined): void {
    const before = this.#labels.get(key);
    if (before === label) return;
    const place = (value: string): string => `${metadata.namespace}/${value}`;
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

  async #fetch(ref: Ref, least: string): Promise<ConfigMap | undefined> {
    try {
      const object = await this.#api.get(kinds.ConfigMap, ref);
      // An outdated read: nothing would wake the pool once the API server has caught up.
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
    // Two concurrent reads share one text, and one parse of it.
    if (known !== undefined && isSame(known, object)) return known;
    const configMap = parseConfigMap(object);
    this.#read.set(key, configMap);
    return configMap;
  }
}

const isSame = ({ uid, resourceVersion }: ConfigMap, { metadata }: KubeObject): boolean =>
  uid === metadata.uid && resourceVersion === metadata.resourceVersion;
