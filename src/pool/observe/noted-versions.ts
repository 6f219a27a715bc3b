// What is the highest version ever published for a pool, by the notes on its ConfigMaps?
import { type KubeObject, keyOf, type Ref } from '../../api/objects.ts';
import { LABEL_POOL } from '../labels.ts';
import { isBelieved } from '../publish/belief.ts';
import { changeOf } from '../publish/notes.ts';

export class NotedVersions {
  readonly #highest = new Map<string, number>();
  readonly #statusVersion: (pool: Ref) => number;

  /** `statusVersion`: the version in the status of a pool. */
  constructor(statusVersion: (pool: Ref) => number) {
    this.#statusVersion = statusVersion;
  }

  /** Also of a ConfigMap that is deleted before a decision reads it. */
  note({ metadata: { namespace = '', labels, annotations = {} } }: KubeObject): void {
    const name = labels?.[LABEL_POOL];
    if (name === undefined) return;
    const key = keyOf({ namespace, name });
    const version = changeOf({ annotations })?.version ?? 0;
    if (!isBelieved(version, this.#statusVersion({ namespace, name }))) return;
    this.#highest.set(key, Math.max(this.#highest.get(key) ?? 0, version));
  }

  highest(pool: Ref): number {
    return this.#highest.get(keyOf(pool)) ?? 0;
  }

  forget(pool: Ref): void {
    this.#highest.delete(keyOf(pool));
  }
}
