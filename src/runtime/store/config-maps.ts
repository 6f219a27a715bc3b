// What stands in a ConfigMap? All are known by name, version and labels; those that matter are
// read, once for each version. Cached once for all kinds of ours.
import { kinds, metadataOf } from '../../api/kinds.ts';
import { isNewer, type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import { type ConfigMap, parseConfigMap } from '../../api/observed.ts';
import { slimConfigMap } from '../../api/slim.ts';
import type { KubeApi } from '../client/api.ts';
import { hasCode, KubeError } from '../client/errors.ts';
import type { Change } from '../watch/change.ts';
import type { Subscription } from '../watch/subscriptions.ts';

/** Of the metadata of each ConfigMap, what a kind looks for. */
export type Marks = { readonly label: string; readonly annotation: string };

export class ConfigMaps {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #versions = new Map<string, string>();
  readonly #read = new Map<string, ConfigMap>();
  /** `namespace/value` of the label -> the names of what carries it. */
  readonly #labelled = new Map<string, Set<string>>();
  readonly #labels = new Map<string, string>();
  readonly #listeners: ((change: Change) => void)[] = [];
  readonly #label: string;

  /** The same for every kind that names it among its own. */
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

  /** From a watch of metadata; the answers to our own writes bring the whole object. */
  apply(change: Change): void {
    const { type, object, isRestored } = change;
    const key = keyOf(object.metadata);
    const isGone = type === 'DELETED';
    this.#relabel(key, object, isGone ? undefined : object.metadata.labels?.[this.#label]);
    if (isGone) this.#versions.delete(key);
    else this.#versions.set(key, object.metadata.resourceVersion ?? '');
    // After a restoration, what was read under this version may have been of another time.
    if (isGone || isRestored) this.#read.delete(key);
    if (!isGone && 'data' in object) this.#keep(object);
    for (const listener of this.#listeners) listener(change);
  }

  /** The names of those with this value of the label. */
  labelled({ namespace, name: value }: Ref): readonly string[] {
    const place = keyOf({ ...(namespace !== undefined && { namespace }), name: value });
    return [...(this.#labelled.get(place) ?? [])].sort();
  }

  /** Undefined: it is not there, by all that is known. */
  versionOf(ref: Ref): string | undefined {
    return this.#versions.get(keyOf(ref));
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
