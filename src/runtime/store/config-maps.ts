// What is in a ConfigMap? All are watched by their metadata; the contents of those that matter are
// read, once for each version. Cached once for all kinds.
import { kinds, metadataOf } from '../../api/kinds.ts';
import { isNewer, type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import { type ConfigMap, parseConfigMap } from '../../api/observed.ts';
import { slimConfigMap } from '../../api/slim.ts';
import type { Change, KubeApi } from '../client/api.ts';
import { hasCode, KubeError } from '../client/errors.ts';
import { Cache } from '../watch/cache.ts';
import type { Subscription } from '../watch/subscriptions.ts';

/** The label and annotation of ConfigMaps that a kind looks for. */
export type Marks = { readonly label: string; readonly annotation: string };

/** `labelBefore`: the value of the label until this change. */
type Listener = (change: Change, labelBefore: string | undefined) => void;

/** What the watch knows of a ConfigMap. */
type Known = {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly label: string | undefined;
};

type Reading = { readonly version: string; readonly answer: Promise<ConfigMap | undefined> };

export class ConfigMaps {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #known: Cache<Known, 'label'>;
  readonly #read = new Map<string, ConfigMap>();
  /** Reads under way, of this version or a newer one. */
  readonly #reading = new Map<string, Reading>();
  readonly #listeners: Listener[] = [];

  /** Every kind adds this to its own subscriptions. */
  readonly subscription: Subscription;

  constructor(api: Pick<KubeApi, 'get'>, { label, annotation }: Marks) {
    this.#api = api;
    this.#known = new Cache(
      ({ metadata: { namespace = '', name, resourceVersion: version = '', labels } }) => ({
        ...{ namespace, name, version },
        label: labels?.[label],
      }),
      { label: (it: Known) => (it.label === undefined ? [] : [`${it.namespace}/${it.label}`]) },
    );
    this.subscription = {
      kind: metadataOf(kinds.ConfigMap),
      slim: (object) => ('data' in object ? object : slimConfigMap(object, label, annotation)),
      onChange: (change) => this.apply(change),
    };
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** A change from the watch of metadata, or the whole object from the answer to an own write. */
  apply(change: Change): void {
    const { object, isRestored } = change;
    const key = keyOf(object.metadata);
    const { before, after } = this.#known.apply(change);
    const isGone = after === undefined;
    // After a restoration, an equal version may have had other contents.
    if (isRestored) this.#reading.delete(key);
    if (isGone || isRestored) this.#read.delete(key);
    // It may never be read again, such as when its label was taken away.
    else if (isNewer(after.version, this.#read.get(key)?.resourceVersion ?? after.version))
      this.#read.delete(key);
    if (!isGone && 'data' in object) this.#keep(object);
    for (const listener of this.#listeners) listener(change, before?.label);
  }

  /** Names of ConfigMaps with this value of the label. */
  labelled({ namespace = '', name: value }: Ref): readonly string[] {
    return this.#known
      .by('label', `${namespace}/${value}`)
      .map(({ name }) => name)
      .sort();
  }

  /** Undefined: it does not exist, as far as the watch knows. */
  versionOf(ref: Ref): string | undefined {
    return this.#known.get(ref)?.version;
  }

  /** Of how many ConfigMaps the contents are kept. */
  get size(): number {
    return this.#read.size;
  }

  /** Drops the contents; they are read again when needed. */
  release(ref: Ref): void {
    this.#read.delete(keyOf(ref));
  }

  /** At the version that the watch knows, or newer. */
  async get(ref: Ref): Promise<ConfigMap | undefined> {
    const version = this.versionOf(ref);
    if (version === undefined) return undefined;
    const known = this.#read.get(keyOf(ref));
    return known !== undefined && !isNewer(version, known.resourceVersion)
      ? known
      : this.#fetchOnce(ref, version);
  }

  /** Also a ConfigMap that the watch has not reported yet. */
  async seek(ref: Ref): Promise<ConfigMap | undefined> {
    return this.versionOf(ref) === undefined ? this.#fetch(ref, '') : this.get(ref);
  }

  /** A change of a ledger wakes all jobs that it may concern, before any of them has read it. */
  #fetchOnce(ref: Ref, version: string): Promise<ConfigMap | undefined> {
    const key = keyOf(ref);
    const present = this.#reading.get(key);
    if (present?.version === version) return present.answer;
    const answer = this.#fetch(ref, version).finally(() => {
      if (this.#reading.get(key)?.answer === answer) this.#reading.delete(key);
    });
    this.#reading.set(key, { version, answer });
    return answer;
  }

  async #fetch(ref: Ref, least: string): Promise<ConfigMap | undefined> {
    try {
      const object = await this.#api.get(kinds.ConfigMap, ref);
      // An outdated read: nothing would wake the pool once the API server has caught up.
      if (isNewer(least, object.metadata.resourceVersion ?? ''))
        throw new KubeError(
          'Unavailable',
          `read an old version of ConfigMap ${keyOf(ref)}, from before its last change`,
        );
      // Of one that the watch does not know, no deletion would be reported.
      return this.versionOf(ref) === undefined ? parseConfigMap(object) : this.#keep(object);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      if (least !== '' && this.versionOf(ref) === least)
        throw new KubeError(
          'Unavailable',
          `ConfigMap ${keyOf(ref)} does not exist, but no watch has reported its deletion yet`,
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
