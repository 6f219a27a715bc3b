// Since when has something been as it is? By the leader's own clock, from first sight: no wall
// clock, and nobody else's.
import type { Clock } from './clock.ts';

type Sighting = { readonly value: string; readonly since: number; round: number };

/** Facts are grouped by key; a fact that is not looked at in a round of its key is forgotten. */
export class Sightings {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, { round: number; readonly facts: Map<string, Sighting> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Looks at the facts of one key: `age(name, value)` is how long `name` has had this value. */
  round<T>(key: string, look: (age: (name: string, value: string) => number) => T): T {
    const group = this.#byKey.get(key) ?? { round: 0, facts: new Map<string, Sighting>() };
    this.#byKey.set(key, group);
    group.round += 1;
    const now = this.#clock.monotonic();
    const seen = look((name, value) => {
      const present = group.facts.get(name);
      if (present?.value === value) {
        present.round = group.round;
        return now - present.since;
      }
      group.facts.set(name, { value, since: now, round: group.round });
      return 0;
    });
    for (const [name, { round }] of group.facts)
      if (round !== group.round) group.facts.delete(name);
    return seen;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
