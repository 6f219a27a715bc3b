// Which members may change their size now, and for how long has one of them made no progress?
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { FreeMember } from '../members/members.ts';
import type { MemberProgress, Progress } from '../world.ts';

type InOrder = {
  readonly stage: number;
  readonly replicas: number;
  readonly target: number;
  /** No other member waits for it: it is settled, or given up. */
  readonly isDone: boolean;
};

/**
 * With Together all members may. With Staged a member grows when the members of lower stages are
 * ready, and shrinks when the members of higher stages are: dependencies start first and stop last.
 * The direction of the group does not matter: after a change in mid-transition, some members grow
 * and others shrink. A member of a lower stage that is still to shrink has enough replicas for
 * higher stages, so that two members never wait for each other.
 */
export function hasTurn(
  order: SwarmGroupSpec['transition']['order'],
  members: readonly InOrder[],
): (member: InOrder) => boolean {
  if (order === 'Together') return () => true;
  const open = members.filter(({ isDone }) => !isDone);
  const upTo = Math.min(...open.filter((it) => it.replicas <= it.target).map(({ stage }) => stage));
  const downTo = Math.max(
    ...open.filter((it) => it.replicas >= it.target).map(({ stage }) => stage),
  );
  return ({ stage, replicas, target }) =>
    (replicas > target || stage <= upTo) && (replicas < target || stage >= downTo);
}

/**
 * `waitedFor` contains the members that may change and are not settled. A new size alone is no
 * progress, so that a group does not wait for ever while its size keeps changing.
 */
export function progressNow(
  before: Progress | undefined,
  of: string,
  waitedFor: readonly FreeMember[],
  nowMs: number,
): Progress {
  const known = before?.of === of ? before.members : undefined;
  const members = waitedFor.map(({ key, found: { size } }): [string, MemberProgress] => {
    const last = known?.get(key);
    if (last === undefined)
      return [key, { sinceMs: nowMs, ready: size.ready, present: size.present }];
    if (!hasProgressed(last, size)) return [key, last];
    const ready = Math.max(size.ready, last.ready);
    return [key, { sinceMs: nowMs, ready, present: Math.min(size.present, last.present) }];
  });
  return { of, members: new Map(members) };
}

/** The time without progress; undefined: the group has not waited for it. */
export function withoutProgressMs(
  progress: Progress | undefined,
  of: string,
  { key, found: { size } }: FreeMember,
  nowMs: number,
): number | undefined {
  const known = progress?.of === of ? progress.members.get(key) : undefined;
  if (known === undefined) return undefined;
  return hasProgressed(known, size) ? 0 : nowMs - known.sinceMs;
}

const hasProgressed = (
  known: MemberProgress,
  { ready, present }: FreeMember['found']['size'],
): boolean => ready > known.ready || present < known.present;
