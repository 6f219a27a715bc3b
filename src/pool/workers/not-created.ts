// Which workers have no pod because it could not be created? A Deployment says so in its status,
// StatefulSets only in events.
import type { Target } from '../../api/observed.ts';
import type { Seat } from './seats.ts';

export const setsLackingPods = (
  targets: readonly Target[],
  wanted: readonly Seat[],
): readonly Target[] =>
  targets.filter(
    ({ kind, name }) =>
      kind === 'StatefulSet' &&
      wanted.some((seat) => seat.pod === undefined && isOf(seat.name, name)),
  );

const isOf = (pod: string, set: string): boolean => pod.slice(0, pod.lastIndexOf('-')) === set;

/** By seat. `failures`: by name of a StatefulSet's pod. */
export function notCreated(
  targets: readonly Target[],
  wanted: readonly Seat[],
  failures: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const deployment = targets.find(({ createFailure }) => createFailure !== undefined);
  return Object.fromEntries(
    wanted.flatMap(({ pod, slot, name, key }) => {
      if (pod !== undefined) return [];
      const why = slot === undefined ? failures.get(name) : deployment?.createFailure;
      return why === undefined ? [] : [[key, why]];
    }),
  );
}
