// Why has a pod of a StatefulSet not been made? Its controller says so in events alone: they are
// looked for when a pod has been missing for some seconds, now and then, and never watched, since a
// cluster has very many.
import { kinds } from '../api/kinds.ts';
import { asString, dig, type KubeObject } from '../api/objects.ts';
import type { KubeApi } from './client/api.ts';
import type { Clock } from './clock.ts';

/** A pod that is only just being made is there by then. */
const FIRST_MS = 5_000;
const AGAIN_MS = 30_000;
const LONGEST_TEXT = 256;

export type CreationsOptions = {
  readonly api: Pick<KubeApi, 'list'>;
  readonly clock: Clock;
  /** Something else is said of the pods of a key. */
  readonly onChange: (key: string) => void;
};

/** A StatefulSet that lacks pods. */
export type Lacking = { readonly uid: string; readonly namespace: string };

type Looking = { readonly set: Lacking; said: ReadonlyMap<string, string>; cancel: () => void };

/**
 * Guarantees: one look at a time for each StatefulSet, every 30 s at most; who may not list events
 * goes without what they say.
 */
export class Creations {
  readonly #options: CreationsOptions;
  readonly #byKey = new Map<string, Map<string, Looking>>();

  constructor(options: CreationsOptions) {
    this.#options = options;
  }

  /** By the name of a pod: why it could not be made, as far as that was said. */
  failuresOf(key: string): ReadonlyMap<string, string> {
    const followed = this.#byKey.get(key) ?? new Map<string, Looking>();
    return new Map([...followed.values()].flatMap(({ said }) => [...said]));
  }

  /** From now on, these lack pods. */
  follow(key: string, sets: readonly Lacking[]): void {
    const present = this.#byKey.get(key) ?? new Map<string, Looking>();
    const wanted = new Set(sets.map(({ uid }) => uid));
    for (const [uid, looking] of present) {
      if (wanted.has(uid)) continue;
      looking.cancel();
      present.delete(uid);
    }
    for (const set of sets) if (!present.has(set.uid)) present.set(set.uid, this.#begin(key, set));
    if (present.size === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, present);
  }

  forgetAll(): void {
    for (const key of [...this.#byKey.keys()]) this.follow(key, []);
  }

  #begin(key: string, set: Lacking): Looking {
    const looking: Looking = { set, said: new Map(), cancel: () => undefined };
    looking.cancel = this.#options.clock.after(FIRST_MS, () => void this.#look(key, looking));
    return looking;
  }

  async #look(key: string, looking: Looking): Promise<void> {
    const { api, clock, onChange } = this.#options;
    const { uid, namespace } = looking.set;
    const listing = await api
      .list(kinds.Event, namespace, {
        fieldSelector: `regarding.kind=StatefulSet,regarding.uid=${uid}`,
      })
      // Without the right, or while the API server is away, nothing is known, and nothing hangs on
      // it.
      .catch(() => undefined);
    if (this.#byKey.get(key)?.get(uid) !== looking) return;
    looking.cancel = clock.after(AGAIN_MS, () => void this.#look(key, looking));
    if (listing === undefined) return;
    const before = looking.said;
    looking.said = failedIn(listing.items);
    if (JSON.stringify([...before]) !== JSON.stringify([...looking.said])) onChange(key);
  }
}

/** The last word on each pod counts: one that was made in the end has not failed. */
function failedIn(events: readonly KubeObject[]): ReadonlyMap<string, string> {
  const sorted = [...events].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  const said = new Map<string, string>();
  for (const event of sorted) {
    const note = asString(event['note']) ?? '';
    const pod = /\bPod (\S+) in StatefulSet\b/.exec(note)?.[1];
    if (pod === undefined) continue;
    said.delete(pod);
    if (event['reason'] === 'FailedCreate') said.set(pod, textOf(note));
  }
  return said;
}

const timeOf = (event: KubeObject): string =>
  asString(dig(event, 'series', 'lastObservedTime')) ??
  asString(event['deprecatedLastTimestamp']) ??
  asString(event['eventTime']) ??
  event.metadata.creationTimestamp ??
  '';

/** What the API server said, without whom the controller asked for. */
const textOf = (note: string): string =>
  note
    .replace(/^.*? failed error: /s, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
