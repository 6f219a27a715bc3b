// May a pool have one more probe under way? No pool holds more than a quarter of the places, and no
// namespace more than half.
import { namespaceOf, type Open } from './fair-queue.ts';
import type { Rank } from './scheduler.ts';

/** A probe with a longer answer takes several places: this bounds the memory of all answers. */
const BYTES_PER_PLACE = 256 * 1024;

type ProbePlace = { readonly key: string; readonly isFailing: boolean; readonly places: number };
type Held = { places: number; failing: number; probes: number };

/**
 * Of each share, workers that were slow or failed last time hold at most half: workers that answer
 * at once never wait for them.
 */
export class ProbePlaces {
  readonly #most: number;
  readonly #all: Held = { places: 0, failing: 0, probes: 0 };
  readonly #byNamespace = new Map<string, Held>();
  readonly #byPool = new Map<string, Held>();

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#all.places >= this.#most;
  }

  open(rank: Rank): Open {
    const isFailing = rank === 'failing';
    if (!hasRoom(this.#all, this.#most, isFailing))
      return { isNamespace: () => false, isPool: () => false };
    return {
      // Two at least, so that of two pools in a namespace neither waits for the other.
      isNamespace: (namespace) =>
        hasRoom(this.#byNamespace.get(namespace), Math.max(2, this.#most / 2), isFailing),
      isPool: (key) => hasRoom(this.#byPool.get(key), this.#most / 4, isFailing),
    };
  }

  /** How many probes of a pool are under way. */
  probesOf(key: string): number {
    return this.#byPool.get(key)?.probes ?? 0;
  }

  take(key: string, isFailing: boolean, mostBytes: number): ProbePlace {
    const places = Math.min(Math.ceil(mostBytes / BYTES_PER_PLACE), Math.floor(this.#most / 4));
    const place = { key, isFailing, places: Math.max(1, places) };
    this.#count(place, 1);
    return place;
  }

  giveBack(place: ProbePlace): void {
    this.#count(place, -1);
  }

  #count({ key, isFailing, places }: ProbePlace, by: 1 | -1): void {
    const count = (held: Held): void => {
      held.places += by * places;
      held.failing += isFailing ? by * places : 0;
      held.probes += by;
    };
    const countIn = (all: Map<string, Held>, name: string): void => {
      const held = all.get(name) ?? { places: 0, failing: 0, probes: 0 };
      count(held);
      if (held.probes === 0) all.delete(name);
      else all.set(name, held);
    };
    count(this.#all);
    countIn(this.#byNamespace, namespaceOf(key));
    countIn(this.#byPool, key);
  }
}

/** Each pool and namespace may always have one probe under way. */
function hasRoom(held: Held | undefined, most: number, isFailing: boolean): boolean {
  const { places, failing } = held ?? { places: 0, failing: 0 };
  return (
    places < Math.max(1, Math.floor(most)) &&
    (!isFailing || failing < Math.max(1, Math.floor(most / 2)))
  );
}
