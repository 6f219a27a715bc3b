// Which stream of a list has a name? The index of an edited list is that of the list before it, and
// what differs.
import { memoize } from '../../core/memoize.ts';
import type { AssignStream } from '../assign/problem/problem.ts';

type Named = AssignStream;

/** So many edited streams are kept beside the index; with more, it is made anew. */
const MOST_APART = 1_000;

class Names {
  readonly #all: ReadonlyMap<string, Named>;
  /** What differs from these; undefined: the list has no such stream any more. */
  readonly #since: ReadonlyMap<string, Named | undefined>;

  private constructor(
    all: ReadonlyMap<string, Named>,
    since: ReadonlyMap<string, Named | undefined>,
  ) {
    this.#all = all;
    this.#since = since;
  }

  static of(streams: readonly Named[]): Names {
    return new Names(new Map(streams.map((stream) => [stream.name, stream])), new Map());
  }

  get(name: string): Named | undefined {
    return this.#since.has(name) ? this.#since.get(name) : this.#all.get(name);
  }

  /** Undefined: too much differs. */
  edited(gone: readonly Named[], come: readonly Named[]): Names | undefined {
    if (this.#since.size + gone.length + come.length > MOST_APART) return undefined;
    const since = new Map(this.#since);
    for (const { name } of gone) since.set(name, undefined);
    for (const stream of come) since.set(stream.name, stream);
    return new Names(this.#all, since);
  }
}

const known = new WeakMap<readonly Named[], Names>();
const made = memoize(Names.of);

/** Made when it is asked for first. */
export const namesIn = (streams: readonly Named[]): Names => known.get(streams) ?? made(streams);

/** `after` is `before` without the one streams, and with the others. */
export function noteEdited(
  before: readonly Named[],
  after: readonly Named[],
  gone: readonly Named[],
  come: readonly Named[],
): void {
  const names = namesIn(before).edited(gone, come);
  if (names !== undefined) known.set(after, names);
}
