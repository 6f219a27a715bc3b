// Why was a pod of a StatefulSet or a batch Job not created? Its controller says so in events only.
// They are listed now and then while a pod is missing, and never watched: a cluster has very many.
import { kinds } from '../../api/kinds.ts';
import { asString, dig, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../client/api.ts';
import type { Clock } from '../clock.ts';

/** A pod whose creation has begun appears within this time. */
const FIRST_MS = 5_000;
const AGAIN_MS = 30_000;

/** What an event of the owner says of one of its pods. */
export type ToldOfPod = {
  readonly pod: string;
  /** Why it could not be created; undefined: it was. */
  readonly failure: string | undefined;
};

type CreationsOptions = {
  readonly api: Pick<KubeApi, 'list'>;
  readonly clock: Clock;
  /** The kind of the owners. */
  readonly kind: string;
  /** Undefined: nothing about the creation of a pod. */
  readonly read: (reason: string, note: string) => ToldOfPod | undefined;
  /** `failuresOf` returns something new for a key. */
  readonly onChange: (key: string) => void;
};

/** An owner with missing pods. */
type Lacking = { readonly uid: string; readonly namespace: string };

type Looking = {
  readonly owner: Lacking;
  said: ReadonlyMap<string, string>;
  cancel: () => void;
};

/**
 * Guarantees: one request at a time for each owner, every 30 s at most. Without the right to list
 * events, no failure is reported.
 */
export class Creations {
  readonly #options: CreationsOptions;
  readonly #byKey = new Map<string, Map<string, Looking>>();

  constructor(options: CreationsOptions) {
    this.#options = options;
  }

  /** By pod: why it could not be created, as far as events say. */
  failuresOf(key: string): ReadonlyMap<string, string> {
    const followed = this.#byKey.get(key) ?? new Map<string, Looking>();
    return new Map([...followed.values()].flatMap(({ said }) => [...said]));
  }

  /** The owners of the key that miss pods now. */
  follow(key: string, owners: readonly Lacking[]): void {
    const present = this.#byKey.get(key) ?? new Map<string, Looking>();
    const wanted = new Set(owners.map(({ uid }) => uid));
    for (const [uid, looking] of present) {
      if (wanted.has(uid)) continue;
      looking.cancel();
      present.delete(uid);
    }
    for (const owner of owners)
      if (!present.has(owner.uid)) present.set(owner.uid, this.#begin(key, owner));
    if (present.size === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, present);
  }

  forgetAll(): void {
    for (const key of [...this.#byKey.keys()]) this.follow(key, []);
  }

  #begin(key: string, owner: Lacking): Looking {
    const looking: Looking = { owner, said: new Map(), cancel: () => undefined };
    looking.cancel = this.#options.clock.after(FIRST_MS, () => void this.#look(key, looking));
    return looking;
  }

  async #look(key: string, looking: Looking): Promise<void> {
    const { api, clock, kind, onChange } = this.#options;
    const { uid, namespace } = looking.owner;
    const listing = await api
      .list(kinds.Event, namespace, {
        fieldSelector: `regarding.kind=${kind},regarding.uid=${uid}`,
      })
      // Without the right, or while the API server is away, no reason is known.
      .catch(() => undefined);
    if (this.#byKey.get(key)?.get(uid) !== looking) return;
    looking.cancel = clock.after(AGAIN_MS, () => void this.#look(key, looking));
    if (listing === undefined) return;
    const before = looking.said;
    looking.said = this.#failedIn(listing.items);
    if (JSON.stringify([...before]) !== JSON.stringify([...looking.said])) onChange(key);
  }

  /** The last event of each pod counts: a pod that was created in the end has not failed. */
  #failedIn(events: readonly KubeObject[]): ReadonlyMap<string, string> {
    const sorted = [...events].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
    const said = new Map<string, string>();
    for (const event of sorted) {
      const [reason = '', note = ''] = [asString(event['reason']), asString(event['note'])];
      const told = this.#options.read(reason, note);
      if (told === undefined) continue;
      said.delete(told.pod);
      if (told.failure !== undefined) said.set(told.pod, told.failure);
    }
    return said;
  }
}

const timeOf = (event: KubeObject): string =>
  asString(dig(event, 'series', 'lastObservedTime')) ??
  asString(event['deprecatedLastTimestamp']) ??
  asString(event['eventTime']) ??
  event.metadata.creationTimestamp ??
  '';
