// What did each member have when the group was last at rest? A rollback goes back to it.
import type { SwarmGroup } from '../../api/validate.ts';
import { type FreeMember, hadIn, type Member, type Transition } from '../members/members.ts';
import { readyEnough, replicasAt } from '../members/sizes.ts';
import type { HistoryEntry } from './history.ts';

export type Before = NonNullable<Transition['before']>;

/**
 * As status has it, which is not written between two scales: a first scale may have landed and a
 * second one not. A member that status does not have yet has what is found. After a pause status
 * has what hands have done meanwhile: the group was last at rest at the size before.
 */
export function beforeAtRest(group: SwarmGroup, free: readonly FreeMember[]): Before {
  const { status } = group;
  const held = wasPaused(status) ? status?.replicas : undefined;
  return free.map((member) => {
    const { kind, name, found, rules } = member;
    const listed = listedIn(group, member);
    const atHeld = held === undefined ? undefined : replicasAt(held, rules);
    const replicas = atHeld ?? listed?.replicas ?? found.replicas;
    const ready =
      replicas === found.replicas ? found.size.ready : (listed?.ready ?? found.size.ready);
    return { kind, name, replicas, ready };
  });
}

const wasPaused = (status: SwarmGroup['status']): boolean =>
  status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'Paused') === true;

/** As status has it. */
export const listedIn = ({ status }: SwarmGroup, { kind, name }: FreeMember) =>
  status?.members?.find((it) => it.kind === kind && it.name === name);

export const isNotedIn = (group: SwarmGroup, free: readonly FreeMember[]): boolean =>
  free.every((member) => listedIn(group, member)?.replicas !== undefined);

/**
 * A size that the group passed on its way to another one was reached, too: a rollback goes back to
 * the last of them.
 */
export function reachedOnTheWay(
  transition: Transition,
  history: readonly HistoryEntry[],
  free: readonly FreeMember[],
): Pick<Transition, 'from' | 'before'> | undefined {
  const passed = history.findIndex(({ outcome }) => outcome !== 'Superseded');
  const sizes = history.slice(0, passed < 0 ? history.length : passed).map(({ to }) => to);
  const known = sizes.indexOf(transition.from);
  const newer = known < 0 ? sizes : sizes.slice(0, known);
  const size = newer.find(
    (it) => it !== transition.to && free.every((member) => hasReached(member, it, transition)),
  );
  if (size === undefined) return undefined;
  const before = free.map(({ kind, name, rules }) => {
    const replicas = replicasAt(size, rules);
    return { kind, name, replicas, ready: readyEnough(replicas, rules) };
  });
  return { from: size, before };
}

function hasReached(
  { found, rules, kind, name }: FreeMember,
  size: number,
  transition: Transition,
): boolean {
  const replicas = replicasAt(size, rules);
  const had = hadIn(transition, { kind, name })?.replicas ?? replicasAt(transition.from, rules);
  if (replicas > had)
    return found.replicas >= replicas && found.size.ready >= readyEnough(replicas, rules);
  return replicas === had || (found.replicas <= replicas && found.size.present <= replicas);
}

/** Has any member something to go back to? */
export const wouldGoBack = (
  transition: Transition,
  from: number,
  members: readonly Member[],
): boolean =>
  members.some(
    ({ kind, name, rules, target }) =>
      (hadIn(transition, { kind, name })?.replicas ?? replicasAt(from, rules)) !== target,
  );
