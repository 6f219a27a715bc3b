// Where do random numbers come from? One seed gives the same numbers every time; each part of the
// simulation draws from its own stream.

export class Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = this.#seed;
  }

  /** In [0, 1). (mulberry32) */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[Math.floor(this.next() * list.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Depends on the seed and the label alone, not on what was drawn before. */
  fork(label: string): Random {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < label.length; at += 1)
      hash = Math.imul(hash ^ label.charCodeAt(at), 0x01000193);
    return new Random(hash ^ (hash >>> 13));
  }
}
