// For how long has a member whose turn it is made no progress? A new size alone is none: a size
// that moves often is not waited for without end.
import type { FreeMember } from '../members/members.ts';
import type { MemberProgress, Progress } from '../world.ts';

/** `waitedFor`: those that are not settled, and whose turn it is. */
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
