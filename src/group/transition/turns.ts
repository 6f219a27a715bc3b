// Which members may change their size now, and for how long has one of them made no progress?
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { FreeMember } from '../members/members.ts';
import type { MemberProgress, Progress } from '../world.ts';

type InOrder = {
  readonly stage: number;
  readonly replicas: number;
  readonly target: number;
  /** Nothing waits for it: it is settled, or given up. */
  readonly isDone: boolean;
};

/**
 * With Together all. With Staged a member grows when those of lower stages are ready, and shrinks
 * when those of higher stages are: dependencies start first and stop last.
 *
 * It does not depend on the direction of the group: after a change in mid-transition some members
 * grow and others shrink. A lower one that is still to shrink has enough for those above it, so
 * that two never wait for each other.
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
 * `waitedFor`: those that are not settled, and whose turn it is. A new size alone is no progress: a
 * size that moves often is not waited for without end.
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

/** How long it has made none; undefined: it has not been waited for. */
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
