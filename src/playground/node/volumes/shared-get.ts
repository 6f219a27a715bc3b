// How do a hundred pods that ask for the same object at once cost a request or two? Each is
// answered by one that began after it asked.
import type { Kind } from '../../../api/kinds.ts';
import { type KubeObject, keyOf, type Ref } from '../../../api/objects.ts';
import type { KubeApi } from '../../../runtime/client/api.ts';

type Line = { readonly underWay: Promise<unknown>; next: Promise<KubeObject> | undefined };

/**
 * Guarantees: of one object there is at most one request under way; nobody gets an answer to a
 * request that is older than its own.
 */
export class SharedGet {
  readonly #api: Pick<KubeApi, 'get'>;
  readonly #lines = new Map<string, Line>();

  constructor(api: Pick<KubeApi, 'get'>) {
    this.#api = api;
  }

  get(kind: Kind, ref: Ref): Promise<KubeObject> {
    const key = `${kind.plural} ${keyOf(ref)}`;
    const line = this.#lines.get(key);
    if (line === undefined) return this.#ask(key, kind, ref);
    line.next ??= line.underWay.then(() => this.#ask(key, kind, ref));
    return line.next;
  }

  #ask(key: string, kind: Kind, ref: Ref): Promise<KubeObject> {
    const answer = this.#api.get(kind, ref);
    const line: Line = { underWay: answer.catch(() => undefined), next: undefined };
    this.#lines.set(key, line);
    void line.underWay.then(() => {
      if (line.next === undefined) this.#lines.delete(key);
    });
    return answer;
  }
}
