// Which stream of a list has a name? The index of an edited list consists of the index before the
// edit and the differences.
import { eachOf, runToEnd, type Work } from '../../core/work.ts';
import type { AssignStream } from '../assign/problem/problem.ts';

type Named = AssignStream;

/** The most edited streams beside the index; beyond that, a new index is built. */
const MOST_APART = 1_000;

class Names {
  readonly #all: ReadonlyMap<string, Named>;
  /** The differences; undefined: the list no longer has the stream. */
  readonly #since: ReadonlyMap<string, Named | undefined>;

  private constructor(
    all: ReadonlyMap<string, Named>,
    since: ReadonlyMap<string, Named | undefined>,
  ) {
    this.#all = all;
    this.#since = since;
  }

  static *of(streams: readonly Named[]): Work<Names> {
    const all = new Map<string, Named>();
    yield* eachOf(streams, (stream) => all.set(stream.name, stream));
    return new Names(all, new Map());
  }

  get(name: string): Named | undefined {
    return this.#since.has(name) ? this.#since.get(name) : this.#all.get(name);
  }

  /** Undefined: there are too many differences. */
  edited(gone: readonly Named[], come: readonly Named[]): Names | undefined {
    if (this.#since.size + gone.length + come.length > MOST_APART) return undefined;
    const since = new Map(this.#since);
    for (const { name } of gone) since.set(name, undefined);
    for (const stream of come) since.set(stream.name, stream);
    return new Names(this.#all, since);
  }
}

const known = new WeakMap<readonly Named[], Names>();

/** Built at the first use. */
export function* readNames(streams: readonly Named[]): Work<Names> {
  const names = known.get(streams) ?? (yield* Names.of(streams));
  known.set(streams, names);
  return names;
}

/** In one piece. */
export const namesIn = (streams: readonly Named[]): Names => runToEnd(readNames(streams));

/** `after` is `before` without the streams in `gone`, and with those in `come`. */
export function noteEdited(
  before: readonly Named[],
  after: readonly Named[],
  gone: readonly Named[],
  come: readonly Named[],
): void {
  const names = namesIn(before).edited(gone, come);
  if (names !== undefined) known.set(after, names);
}
