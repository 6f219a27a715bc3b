// Which replicas did each member have when the group was last at rest? A rollback restores them.
import type { SwarmGroup } from '../../api/validate.ts';
import type { FreeMember, Member } from '../members/members.ts';
import { readyEnough, replicasAt } from '../members/rules.ts';
import type { Rest } from '../world.ts';
import { type HistoryEntry, hadIn, type Transition } from './transition.ts';

export type Before = NonNullable<Transition['before']>;

export const restOf = (free: readonly FreeMember[]): Rest =>
  new Map(free.map(({ key, found }) => [key, found.replicas]));

/**
 * The replicas in the status, which is not written between two scales: one member may already be
 * scaled and another not. A workload without an entry could not be scaled then: it gets the
 * replicas of the earlier size. After a pause the status has replicas that users have set
 * meanwhile, so `rest` counts, and for a new leader the earlier size. Without a status, the current
 * replicas count.
 */
export function beforeAtRest(
  group: SwarmGroup,
  free: readonly FreeMember[],
  rest: Rest | undefined,
): Before {
  const { status } = group;
  if (!isNoted(group))
    return free.map(({ kind, name, found: { replicas, size } }) => ({
      ...{ kind, name, replicas, ready: size.ready },
    }));
  const held = wasPaused(status) ? status?.replicas : undefined;
  return free.flatMap((member) => {
    const { key, kind, name, found, rules } = member;
    const listed = listedIn(group, member);
    if (listed?.replicas === undefined) return [];
    const replicas =
      held === undefined ? listed.replicas : (rest?.get(key) ?? replicasAt(held, rules));
    const ready = replicas === found.replicas ? found.size.ready : (listed.ready ?? 0);
    return [{ kind, name, replicas, ready }];
  });
}

/** Only the operator scales the member, though the group may not scale it now. */
function isLeftAlone({ status }: SwarmGroup, { kind, name, found, conflict }: Member): boolean {
  const listed = status?.members?.find((it) => it.kind === kind && it.name === name);
  const isOthers = listed?.state === 'Conflicted' || listed?.state === 'Missing';
  return found?.isDeleting === false && conflict === undefined && !isOthers;
}

/**
 * A rollback has ended at the earlier size: a member that was refused then, for example for an
 * invalid annotation, still goes back to its earlier replicas.
 */
export const beforeRolledBack = (
  group: SwarmGroup,
  { state, before = [] }: Transition,
  members: readonly Member[],
): Before =>
  state !== 'RolledBack'
    ? []
    : before.filter(({ kind, name }) =>
        members.some((it) => it.kind === kind && it.name === name && isLeftAlone(group, it)),
      );

const wasPaused = (status: SwarmGroup['status']): boolean =>
  status?.conditions?.some(({ type, reason }) => type === 'Ready' && reason === 'Paused') === true;

const NOT_ITS_OWN: ReadonlySet<string> = new Set(['Missing', 'Conflicted', 'Refused']);

/** The member's entry in the status, if the group could scale it then. */
export const listedIn = ({ status }: SwarmGroup, { kind, name }: FreeMember) =>
  status?.members?.find((it) => it.kind === kind && it.name === name && !NOT_ITS_OWN.has(it.state));

/** The status has the earlier replicas of each member: no scale has to wait for its next write. */
export const isNoted = ({ status }: SwarmGroup): boolean => status?.members !== undefined;

/**
 * A size that the group passed on its way to another one was reached, too: a rollback goes back to
 * the last such size.
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
  const size = newer.find((it) => it !== transition.to && isReached(it, transition, free));
  if (size === undefined) return undefined;
  const before = free.map(({ kind, name, rules }) => {
    const replicas = replicasAt(size, rules);
    return { kind, name, replicas, ready: readyEnough(replicas, rules) };
  });
  return { from: size, before };
}

/**
 * All members have reached the replicas of this size, coming from the size before the transition.
 */
export const isReached = (
  size: number,
  transition: Transition,
  free: readonly FreeMember[],
): boolean => free.every((member) => hasReached(member, size, transition));

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

/** Would a rollback change the replicas of any member? */
export const wouldGoBack = (
  transition: Transition,
  from: number,
  members: readonly Member[],
): boolean =>
  members.some(
    ({ kind, name, rules, target }) =>
      (hadIn(transition, { kind, name })?.replicas ?? replicasAt(from, rules)) !== target,
  );
