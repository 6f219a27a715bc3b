// Since when has something been as it is? By the leader's own clock, from first sight: no wall
// clock, and nobody else's.
import type { Clock } from './clock.ts';

type StateAge = { readonly value: string; readonly since: number; round: number };

/** Facts are grouped by key; a fact that is not looked at in a round of its key is forgotten. */
export class StateAges {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, { measure: number; readonly facts: Map<string, StateAge> }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Looks at the facts of one key: `age(name, value)` is how long `name` has had this value. */
  round<T>(key: string, look: (age: (name: string, value: string) => number) => T): T {
    const group = this.#byKey.get(key) ?? { measure: 0, facts: new Map<string, StateAge>() };
    this.#byKey.set(key, group);
    group.measure += 1;
    const now = this.#clock.monotonic();
    const seen = look((name, value) => {
      const present = group.facts.get(name);
      if (present?.value === value) {
        present.round = group.measure;
        return now - present.since;
      }
      group.facts.set(name, { value, since: now, round: group.measure });
      return 0;
    });
    for (const [name, { round }] of group.facts)
      if (round !== group.measure) group.facts.delete(name);
    return seen;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
