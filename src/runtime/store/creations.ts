// Why was a pod of a StatefulSet or a batch Job not created? Its controller says so in events only.
// They are listed now and then while a pod is missing, and never watched: a cluster has very many.
import { kinds } from '../../api/kinds.ts';
import { asString, dig, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../client/api.ts';
import type { Clock } from '../clock.ts';

/** A pod whose creation has begun appears within this time. */
const FIRST_MS = 5_000;
const AGAIN_MS = 30_000;
/**
 * For any list of events, the API server reads all events of the namespace. However many these are,
 * they are listed for a tenth of the time at most.
 */
const PAUSE_MS = 5_000;
const PAUSE_PER_LIST = 9;

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
  readonly read: (reason: string, message: string) => ToldOfPod | undefined;
  /** `failuresOf` returns something new for a key. */
  readonly onChange: (key: string) => void;
};

/** An owner with missing pods. */
type Lacking = { readonly uid: string; readonly namespace: string };

type Looking = {
  readonly key: string;
  readonly owner: Lacking;
  dueAt: number;
  said: ReadonlyMap<string, string>;
};

type Namespace = {
  readonly owners: Set<Looking>;
  /** When the next list begins; undefined: one is under way. */
  listsAt: number | undefined;
  /** Not before this. Remembered until then, also when no pod is missing any more. */
  earliestAt: number;
  cancel: () => void;
};

/**
 * Guarantees: one list at a time for each namespace, for all of its owners together, and a pause
 * between two; of each owner every 30 s at most. Without the right to list events, no failure is
 * reported.
 */
export class Creations {
  readonly #options: CreationsOptions;
  readonly #byKey = new Map<string, Map<string, Looking>>();
  readonly #namespaces = new Map<string, Namespace>();

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
      this.#end(looking);
      present.delete(uid);
    }
    for (const owner of owners)
      if (!present.has(owner.uid)) present.set(owner.uid, this.#begin(key, owner));
    if (present.size === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, present);
  }

  forgetAll(): void {
    for (const key of [...this.#byKey.keys()]) this.follow(key, []);
    for (const { cancel } of this.#namespaces.values()) cancel();
    this.#namespaces.clear();
  }

  #begin(key: string, owner: Lacking): Looking {
    const dueAt = this.#options.clock.monotonic() + FIRST_MS;
    const looking: Looking = { key, owner, dueAt, said: new Map() };
    const { namespace: name } = owner;
    const namespace = this.#namespaces.get(name) ?? newNamespace();
    this.#namespaces.set(name, namespace);
    namespace.owners.add(looking);
    this.#plan(name, namespace, dueAt);
    return looking;
  }

  #end(looking: Looking): void {
    const { namespace: name } = looking.owner;
    const namespace = this.#namespaces.get(name);
    if (namespace === undefined) return;
    namespace.owners.delete(looking);
    // The end of a list that is under way does it.
    if (namespace.owners.size === 0 && namespace.listsAt !== undefined) this.#rest(name, namespace);
  }

  /** No pod is missing. */
  #rest(name: string, namespace: Namespace): void {
    const { clock } = this.#options;
    namespace.cancel();
    namespace.listsAt = Number.POSITIVE_INFINITY;
    const leftMs = namespace.earliestAt - clock.monotonic();
    if (leftMs > 0) namespace.cancel = clock.after(leftMs, () => this.#namespaces.delete(name));
    else this.#namespaces.delete(name);
  }

  #plan(name: string, namespace: Namespace, dueAt: number): void {
    const { clock } = this.#options;
    const { listsAt, earliestAt } = namespace;
    const at = Math.max(dueAt, earliestAt);
    if (listsAt === undefined || listsAt <= at) return;
    namespace.cancel();
    namespace.listsAt = at;
    namespace.cancel = clock.after(at - clock.monotonic(), () => void this.#list(name, namespace));
  }

  async #list(name: string, namespace: Namespace): Promise<void> {
    const { clock } = this.#options;
    const { owners } = namespace;
    namespace.listsAt = undefined;
    const due = [...owners].filter(({ dueAt }) => dueAt <= clock.monotonic());
    const uids = new Set(due.map(({ owner }) => owner.uid));
    const startedAt = clock.monotonic();
    const events = uids.size === 0 ? undefined : await this.#eventsOf(uids, name);
    if (this.#namespaces.get(name) !== namespace) return;
    const now = clock.monotonic();
    namespace.listsAt = Number.POSITIVE_INFINITY;
    if (uids.size > 0)
      namespace.earliestAt = now + Math.max(PAUSE_MS, PAUSE_PER_LIST * (now - startedAt));
    if (owners.size === 0) {
      this.#rest(name, namespace);
      return;
    }
    for (const looking of due) looking.dueAt = now + AGAIN_MS;
    const dueAt = [...owners].reduce((first, it) => Math.min(first, it.dueAt), namespace.listsAt);
    this.#plan(name, namespace, dueAt);
    if (events !== undefined) this.#take(namespace, due, events);
  }

  /** Undefined: the API server is away, or may not be asked. */
  async #eventsOf(
    uids: ReadonlySet<string>,
    namespace: string,
  ): Promise<readonly KubeObject[] | undefined> {
    const { api, kind } = this.#options;
    const ofOne = uids.size === 1 ? `,involvedObject.uid=${[...uids].join()}` : '';
    const fieldSelector = `involvedObject.kind=${kind}${ofOne}`;
    const slim = (event: KubeObject): KubeObject => (uids.has(ownerOf(event)) ? event : ofAnother);
    const listing = await api
      .list(kinds.Event, namespace, { fieldSelector }, { slim })
      .catch(() => undefined);
    return listing?.items;
  }

  #take(namespace: Namespace, due: readonly Looking[], events: readonly KubeObject[]): void {
    const byOwner = Map.groupBy(events, ownerOf);
    for (const looking of due) {
      if (!namespace.owners.has(looking)) continue;
      const before = looking.said;
      looking.said = this.#failedIn(byOwner.get(looking.owner.uid) ?? []);
      if (JSON.stringify([...before]) !== JSON.stringify([...looking.said]))
        this.#options.onChange(looking.key);
    }
  }

  /** The last event of each pod counts: a pod that was created in the end has not failed. */
  #failedIn(events: readonly KubeObject[]): ReadonlyMap<string, string> {
    const sorted = [...events].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
    const said = new Map<string, string>();
    for (const event of sorted) {
      const [reason = '', message = ''] = [asString(event['reason']), asString(event['message'])];
      const told = this.#options.read(reason, message);
      if (told === undefined) continue;
      said.delete(told.pod);
      if (told.failure !== undefined) said.set(told.pod, told.failure);
    }
    return said;
  }
}

const newNamespace = (): Namespace => ({
  owners: new Set(),
  listsAt: Number.POSITIVE_INFINITY,
  earliestAt: 0,
  cancel: () => undefined,
});

/** Stands for each event of another owner: there may be very many. */
const ofAnother: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' } };

const ownerOf = (event: KubeObject): string => asString(dig(event, 'involvedObject', 'uid')) ?? '';

const timeOf = (event: KubeObject): string =>
  asString(dig(event, 'series', 'lastObservedTime')) ??
  asString(event['lastTimestamp']) ??
  asString(event['eventTime']) ??
  event.metadata.creationTimestamp ??
  '';
