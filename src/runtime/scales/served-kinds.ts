// Where does the API server serve a kind that was named, and can its objects be scaled? Asked once,
// and again when an object is not where it was.
import { type Kind, type NamedKind, namedText } from '../../api/kinds.ts';
import type { CallOptions, KubeApi, ServedResource } from '../client/api.ts';
import { hasCode } from '../client/errors.ts';
import type { Clock } from '../clock.ts';

type Served =
  | { readonly ok: true; readonly kind: Kind }
  | { readonly ok: false; readonly why: string };

type Answer = {
  readonly served: Promise<Served>;
  readonly askedMs: number;
  mayBeOutdated: boolean;
};

/** Many objects of a kind that is not served ask for it once in this time. */
const AGAIN_MS = 10_000;

export class ServedKinds {
  readonly #api: Pick<KubeApi, 'resources'>;
  readonly #clock: Clock;
  /** By name. */
  readonly #answers = new Map<string, Answer>();

  constructor(api: Pick<KubeApi, 'resources'>, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Throws a KubeError where the API server does not say. */
  find(named: NamedKind, options: CallOptions): Promise<Served> {
    const name = namedText(named);
    const known = this.#answers.get(name);
    const isOld = known !== undefined && this.#clock.monotonic() - known.askedMs >= AGAIN_MS;
    if (known !== undefined && !(known.mayBeOutdated && isOld)) return known.served;
    const served = this.#ask(named, options);
    const answer: Answer = { served, askedMs: this.#clock.monotonic(), mayBeOutdated: false };
    this.#answers.set(name, answer);
    served.then(
      ({ ok }) => {
        answer.mayBeOutdated ||= !ok;
      },
      () => {
        if (this.#answers.get(name) === answer) this.#answers.delete(name);
      },
    );
    return served;
  }

  /** The API server found no such object at the path that it gave. */
  markOutdated(named: NamedKind): void {
    const known = this.#answers.get(namedText(named));
    if (known !== undefined) known.mayBeOutdated = true;
  }

  async #ask(named: NamedKind, options: CallOptions): Promise<Served> {
    try {
      return servedIn(named, await this.#api.resources(named, options));
    } catch (error) {
      if (hasCode(error, 'NotFound')) return notServed(named);
      throw error;
    }
  }
}

const notServed = (named: NamedKind): Served => ({
  ok: false,
  why: `the API server does not serve ${namedText(named)}`,
});

function servedIn(named: NamedKind, resources: readonly ServedResource[]): Served {
  const resource = resources.find(({ name, kind }) => kind === named.kind && !name.includes('/'));
  if (resource === undefined) return notServed(named);
  const { name: plural, namespaced } = resource;
  if (!namespaced) return { ok: false, why: `objects of ${namedText(named)} have no namespace` };
  if (!resources.some(({ name }) => name === `${plural}/scale`))
    return { ok: false, why: `${namedText(named)} has no scale subresource` };
  const { group, version, kind } = named;
  return { ok: true, kind: { group, version, kind, plural, namespaced } };
}
