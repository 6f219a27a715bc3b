// How is an exchange with an API server recorded, so that two servers can be compared? By codes,
// and the fields that matter.
import type { Kind } from '../../../src/api/kinds.ts';
import { apiVersionOf } from '../../../src/api/kinds.ts';
import type { KubeObject, Ref } from '../../../src/api/objects.ts';
import type { KubeApi } from '../../../src/runtime/client/api.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';

export type Exchange = {
  readonly name: string;
  readonly run: (recorder: Recorder) => Promise<void>;
};

export class Recorder {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly transcript: string[] = [];

  constructor(api: KubeApi, namespace: string) {
    this.api = api;
    this.namespace = namespace;
  }

  ref(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  object(kind: Kind, name: string, rest: object = {}): KubeObject {
    return {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      ...rest,
      metadata: { ...this.ref(name) },
    };
  }

  create(kind: Kind, name: string, rest: object = {}): Promise<KubeObject> {
    return this.api.create(kind, this.object(kind, name, rest));
  }

  get(kind: Kind, ref: Ref): Promise<KubeObject> {
    return this.api.get(kind, ref);
  }

  /** Records the outcome: `shown` of a success; the code of a refusal, and `why` of its message. */
  async try<T>(
    what: string,
    run: () => Promise<T>,
    shown: (answer: T) => unknown = () => 'done',
    why: (message: string) => string = () => '',
  ): Promise<T | undefined> {
    try {
      const answer = await run();
      this.note(what, shown(answer));
      return answer;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      this.note(what, `${error.code} ${error.status}${why(error.message)}`);
      return undefined;
    }
  }

  note(what: string, value: unknown): void {
    this.transcript.push(
      `${what}: ${typeof value === 'string' ? value : JSON.stringify(sorted(value))}`,
    );
  }
}

/** Keys in one order: servers differ in it. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
