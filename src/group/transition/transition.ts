// What does status say of a transition, of those that ended, and of how long they took?
import type { SwarmGroupStatus } from '../../api/validate.ts';
import type { MemberRef, Run } from '../world.ts';

export type Transition = NonNullable<SwarmGroupStatus['transition']>;

/** What a member had before it. */
export type Had = NonNullable<Transition['before']>[number];

export const isUnderWay = (transition: Transition | undefined): transition is Transition =>
  transition?.state === 'Scaling' || transition?.state === 'RollingBack';

export const hadIn = (
  transition: Transition | undefined,
  { kind, name }: MemberRef,
): Had | undefined => transition?.before?.find((it) => it.kind === kind && it.name === name);

export type HistoryEntry = NonNullable<SwarmGroupStatus['history']>[number];

const MOST_HISTORY = 20;

export const withEntry = (
  history: readonly HistoryEntry[],
  transition: Transition,
  outcome: HistoryEntry['outcome'],
): readonly HistoryEntry[] => [entryOf(transition, outcome), ...history].slice(0, MOST_HISTORY);

/** A size that was reached late was reached. */
export const withLateEntry = (
  [first, ...others]: readonly HistoryEntry[],
  transition: Transition,
): readonly HistoryEntry[] => {
  const isOfIt = first?.to === transition.to && first.requestTime === transition.requestTime;
  const rest = first === undefined || isOfIt ? others : [first, ...others];
  return withEntry(rest, transition, 'Completed');
};

function entryOf(
  { from, to, reason, requestTime, attempt, times }: Transition,
  outcome: HistoryEntry['outcome'],
): HistoryEntry {
  const { totalMilliseconds, patchMilliseconds } = times ?? {};
  const slowest = times && slowestIn(times);
  return {
    from,
    to,
    outcome,
    reason,
    requestTime,
    ...(attempt !== undefined && { attempt }),
    ...(outcome === 'Completed' && totalMilliseconds !== undefined && { totalMilliseconds }),
    ...(patchMilliseconds !== undefined && { patchMilliseconds }),
    ...(outcome === 'Completed' && slowest !== undefined && { slowest }),
  };
}

/** What was seen of a member now. */
type Sighting = {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** Since when its spec asks for what it is to have; undefined: it does not. */
  readonly hasSizeMs: number | undefined;
  readonly isReadyMs: number | undefined;
};

type TransitionTimes = NonNullable<Transition['times']>;

/** A member takes part from when it is seen without its size, or not ready. */
export function timed(run: Run, seen: readonly Sighting[]): Run {
  const members = new Map(run.members);
  for (const { key, kind, name, hasSizeMs, isReadyMs } of seen) {
    if (!members.has(key) && isReadyMs !== undefined) continue;
    const known = members.get(key)?.readyMs;
    members.set(key, {
      kind,
      name,
      patchedMs: hasSizeMs,
      readyMs: isReadyMs === undefined ? undefined : (known ?? isReadyMs),
    });
  }
  return { ...run, members };
}

/**
 * From when the leader saw the request until each member's new size was accepted, and until it was
 * ready; by one clock, or not at all. A total appears only when the last member is ready.
 */
export function timesOf({ startMs, members }: Run): TransitionTimes {
  const all = [...members.values()];
  const since = (ms: number): number => Math.max(0, Math.round(ms - startMs));
  const last = (times: readonly (number | undefined)[]): number | undefined => {
    const known = times.filter((time) => time !== undefined);
    return known.length < times.length ? undefined : since(Math.max(startMs, ...known));
  };
  const patchMilliseconds = last(all.map(({ patchedMs }) => patchedMs));
  const totalMilliseconds = last(all.map(({ readyMs }) => readyMs));
  return {
    ...(totalMilliseconds !== undefined && { totalMilliseconds }),
    ...(patchMilliseconds !== undefined && { patchMilliseconds }),
    members: all.map(({ kind, name, patchedMs, readyMs }) => ({
      kind,
      name,
      ...(patchedMs !== undefined && { patchMilliseconds: since(patchedMs) }),
      ...(readyMs !== undefined && { readyMilliseconds: since(readyMs) }),
    })),
  };
}

/** The member that was ready last. */
function slowestIn({ members = [] }: TransitionTimes): string | undefined {
  const [slowest] = [...members].sort(
    (a, b) => (b.readyMilliseconds ?? 0) - (a.readyMilliseconds ?? 0),
  );
  return slowest === undefined ? undefined : `${slowest.kind}/${slowest.name}`;
}

type History = NonNullable<SwarmGroupStatus['history']>;

/** Of the transitions that were completed and measured; percentiles by nearest rank. */
export function timesIn(history: History): NonNullable<SwarmGroupStatus['times']> {
  const sorted = history
    .filter(({ outcome }) => outcome === 'Completed')
    .flatMap(({ totalMilliseconds }) => totalMilliseconds ?? [])
    .sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
  if (sorted.length === 0) return { count: 0 };
  return {
    count: sorted.length,
    p50Milliseconds: at(0.5),
    maxMilliseconds: at(1),
  };
}
