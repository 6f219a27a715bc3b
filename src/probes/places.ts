// Which pools hold the places for probes under way? No pool holds more than a quarter of them, and
// no namespace more than half.
import { namespaceOf, type Open } from './fair-queue.ts';
import type { Rank } from './scheduler.ts';

/**
 * A probe whose answer may be longer takes several places: this bounds the memory of all answers
 * under way.
 */
const BYTES_PER_PLACE = 256 * 1024;

type Held = { places: number; failing: number; questions: number };

export type ProbePlace = {
  readonly key: string;
  readonly isFailing: boolean;
  readonly places: number;
};

/**
 * At each level, workers that were slow or failed last time hold at most half: workers that answer
 * at once never wait for them.
 */
export class ProbePlaces {
  readonly #most: number;
  readonly #all: Held = { places: 0, failing: 0, questions: 0 };
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

  /** How many questions of a pool are under way. */
  questionsOf(key: string): number {
    return this.#byPool.get(key)?.questions ?? 0;
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
    for (const held of [
      this.#all,
      heldBy(this.#byNamespace, namespaceOf(key)),
      heldBy(this.#byPool, key),
    ]) {
      held.places += by * places;
      held.failing += isFailing ? by * places : 0;
      held.questions += by;
    }
    if (this.#byPool.get(key)?.questions === 0) this.#byPool.delete(key);
    if (this.#byNamespace.get(namespaceOf(key))?.questions === 0)
      this.#byNamespace.delete(namespaceOf(key));
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

function heldBy(all: Map<string, Held>, name: string): Held {
  const held = all.get(name) ?? { places: 0, failing: 0, questions: 0 };
  all.set(name, held);
  return held;
}
