// Shares GET requests among pods that read the same object at once.
import type { Kind } from '../../../api/kinds.ts';
import { type KubeObject, keyOf, type Ref } from '../../../api/objects.ts';
import type { KubeApi } from '../../../runtime/client/api.ts';

type Queue = { readonly underWay: Promise<unknown>; next: Promise<KubeObject> | undefined };

/** At most one request per object is under way; a caller's response is not older than its call. */
export class SharedGet {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #queues = new Map<string, Queue>();

  constructor(api: Pick<KubeApi, 'get'>) {
    this.#api = api;
  }

  get(kind: Kind, ref: Ref): Promise<KubeObject> {
    const key = `${kind.plural} ${keyOf(ref)}`;
    const queue = this.#queues.get(key);
    if (queue === undefined) return this.#get(key, kind, ref);
    queue.next ??= queue.underWay.then(() => this.#get(key, kind, ref));
    return queue.next;
  }

  #get(key: string, kind: Kind, ref: Ref): Promise<KubeObject> {
    const response = this.#api.get(kind, ref);
    const queue: Queue = { underWay: response.catch(() => undefined), next: undefined };
    this.#queues.set(key, queue);
    void queue.underWay.then(() => {
      if (queue.next === undefined) this.#queues.delete(key);
    });
    return response;
  }
}
