// Why was a pod of a StatefulSet not created? Its controller says so in events only. They are
// listed now and then while a pod is missing, and never watched: a cluster has very many.
import { kinds } from '../../api/kinds.ts';
import { asString, dig, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import type { Clock } from '../../runtime/clock.ts';

/** A pod whose creation has begun appears within this time. */
const FIRST_MS = 5_000;
const AGAIN_MS = 30_000;
const LONGEST_TEXT = 256;

type CreationsOptions = {
  readonly api: Pick<KubeApi, 'list'>;
  readonly clock: Clock;
  /** `failuresOf` returns something new for a key. */
  readonly onChange: (key: string) => void;
};

/** A StatefulSet with missing pods. */
type Lacking = { readonly uid: string; readonly namespace: string };

type Looking = { readonly set: Lacking; said: ReadonlyMap<string, string>; cancel: () => void };

/**
 * Guarantees: one request at a time for each StatefulSet, every 30 s at most. Without the right to
 * list events, no failure is reported.
 */
export class Creations {
  readonly #options: CreationsOptions;
  readonly #byKey = new Map<string, Map<string, Looking>>();

  constructor(options: CreationsOptions) {
    this.#options = options;
  }

  /** By pod name: why the pod could not be created, as far as events say. */
  failuresOf(key: string): ReadonlyMap<string, string> {
    const followed = this.#byKey.get(key) ?? new Map<string, Looking>();
    return new Map([...followed.values()].flatMap(({ said }) => [...said]));
  }

  /** The StatefulSets of the key that miss pods now. */
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
      // Without the right, or while the API server is away, no reason is known.
      .catch(() => undefined);
    if (this.#byKey.get(key)?.get(uid) !== looking) return;
    looking.cancel = clock.after(AGAIN_MS, () => void this.#look(key, looking));
    if (listing === undefined) return;
    const before = looking.said;
    looking.said = failedIn(listing.items);
    if (JSON.stringify([...before]) !== JSON.stringify([...looking.said])) onChange(key);
  }
}

/** The last event of each pod counts: a pod that was created in the end has not failed. */
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

/** The API server's own message, without the controller's preamble. */
const textOf = (note: string): string =>
  note
    .replace(/^.*? failed error: /s, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_TEXT);
