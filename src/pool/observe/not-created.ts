// Which workers have no pod because none could be made? A Deployment says so itself, the controller
// of StatefulSets in events.
import type { Target } from '../../api/observed.ts';
import type { Seat } from '../workers/seats.ts';

/**
 * By key of a seat without a pod. `follow`: what was said of the pods of these StatefulSets, by
 * name.
 */
export function notCreated(
  targets: readonly Target[],
  desired: readonly Seat[],
  follow: (lacking: readonly Target[]) => ReadonlyMap<string, string> | undefined,
): Readonly<Record<string, string>> {
  const empty = desired.filter(({ pod }) => pod === undefined);
  const lacks = ({ kind, name }: Target): boolean =>
    kind === 'StatefulSet' && empty.some((seat) => isOf(seat.name, name));
  const said = follow(targets.filter(lacks));
  const deployment = targets.find(({ createFailure }) => createFailure !== undefined);
  return Object.fromEntries(
    empty.flatMap((seat) => {
      const why = seat.slot === undefined ? said?.get(seat.name) : deployment?.createFailure;
      return why === undefined ? [] : [[seat.key, why]];
    }),
  );
}

const isOf = (pod: string, set: string): boolean => pod.slice(0, pod.lastIndexOf('-')) === set;
