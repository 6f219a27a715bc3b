// What do the texts in ConfigMaps say? Long ones are read once for each version, and what we wrote ourselves not at all.
import { type ReadAssignment, readAssignment } from '../api/assignment.ts';
import { asRecord, asString, dig, keyOf, own, type Ref } from '../api/objects.ts';
import type { ConfigMap } from '../api/observed.ts';
import { type ReadStreamList, readStreamList } from '../api/stream-list.ts';
import type { Decision } from '../core/decision.ts';
import { writtenIn } from '../core/pool/publish/write.ts';
import { sourceOf } from '../core/pool/streams.ts';
import type { Thread } from '../kube/thread.ts';

type Written = { readonly key: string; readonly text: string; readonly reading: ReadAssignment };

export class Readings {
  readonly #assignments = new WeakMap<ConfigMap, Map<string, ReadAssignment>>();
  readonly #lists = new WeakMap<ConfigMap, Map<string, ReadStreamList>>();
  /** By place: what the last decision was to write there, until it is found. */
  readonly #written = new Map<string, Written>();
  readonly #thread: Pick<Thread, 'piece'>;

  constructor(thread: Pick<Thread, 'piece'>) {
    this.#thread = thread;
  }

  assignment(configMap: ConfigMap, key: string): Promise<ReadAssignment | undefined> {
    return this.#once(this.#assignments, configMap, key, (text) => this.#writtenThere(configMap, key, text) ?? readAssignment(text));
  }

  /** The source is part of what a problem says. */
  list(configMap: ConfigMap, key: string): Promise<ReadStreamList | undefined> {
    return this.#once(this.#lists, configMap, key, (text) => readStreamList(text, sourceOf({ name: configMap.name, key })));
  }

  /** What stands there letter for letter as it was written needs no reading, and its slices stay the same objects. */
  expect({ steps }: Decision): void {
    for (const step of steps) {
      if (step.do !== 'create' && step.do !== 'patch') continue;
      const data = step.do === 'create' ? step.object['data'] : dig(step.body, 'data');
      const { name, namespace } = step.do === 'create' ? step.object.metadata : step.ref;
      const assignment = writtenIn(asRecord(data) ?? {});
      if (assignment === undefined) continue;
      for (const [key, text] of Object.entries(asRecord(data) ?? {}))
        this.#written.set(keyOf({ ...(namespace !== undefined && { namespace }), name }), {
          key,
          text: asString(text) ?? '',
          reading: { ok: true, assignment },
        });
    }
  }

  /** Nothing is to be written there any more. */
  forget(place: Ref): void {
    this.#written.delete(keyOf(place));
  }

  #writtenThere(configMap: ConfigMap, key: string, text: string): ReadAssignment | undefined {
    const written = this.#written.get(keyOf(configMap));
    if (written?.key !== key || written.text !== text) return undefined;
    this.forget(configMap);
    return written.reading;
  }

  /** Each long text is a piece of its own: others have their turn before the next. */
  async #once<T>(
    all: WeakMap<ConfigMap, Map<string, T>>,
    configMap: ConfigMap,
    key: string,
    read: (text: string) => T,
  ): Promise<T | undefined> {
    const text = own(configMap.data, key);
    if (text === undefined) return undefined;
    const known = all.get(configMap) ?? new Map<string, T>();
    all.set(configMap, known);
    const present = known.get(key);
    if (present !== undefined) return present;
    return await this.#thread.piece(configMap.namespace, () => {
      // Another pool may have read it meanwhile.
      const reading = known.get(key) ?? read(text);
      known.set(key, reading);
      return reading;
    });
  }
}
