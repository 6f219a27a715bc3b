// How long has a state lasted? Measured from first sight by the leader's monotonic clock.

type State = { readonly value: string; readonly sinceMs: number };

export type States = ReadonlyMap<string, State>;

/** Returns how long `name` has had this value. */
export type Age = (name: string, value: string) => number;

/** Forgets each state whose age `look` does not request. */
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
