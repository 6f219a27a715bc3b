// Since when has something been as it is? By the leader's own clock, from first sight: no wall
// clock, and nobody else's.

type State = { readonly value: string; readonly sinceMs: number };

/** By name: what was last seen, and since when. */
export type States = ReadonlyMap<string, State>;

/** How long `name` has had this value. */
export type Age = (name: string, value: string) => number;

/** A state that `look` does not ask about is forgotten. */
export function measureAges<T>(
  before: States,
  nowMs: number,
  look: (age: Age) => T,
): { readonly ages: T; readonly states: States } {
  const states = new Map<string, State>();
  const ages = look((name, value) => {
    const known = before.get(name);
    const state = known?.value === value ? known : { value, sinceMs: nowMs };
    states.set(name, state);
    return nowMs - state.sinceMs;
  });
  return { ages, states };
}
