// How does the status describe a transition, ended ones, and their times?
import type { SwarmGroupStatus } from '../../api/validate.ts';
import type { MemberRef, Run } from '../world.ts';

export type Transition = NonNullable<SwarmGroupStatus['transition']>;

/** The replicas of a member before the transition. */
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

/** A size that was reached late counts as reached. */
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

/** The observed state of a member. */
type Sighting = {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** The time from which its spec has had the wanted replicas; undefined: it has not. */
  readonly hasSizeMs: number | undefined;
  readonly isReadyMs: number | undefined;
};

type TransitionTimes = NonNullable<Transition['times']>;

/** A member takes part once it is seen without its size, or not ready. */
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
 * The times from the moment when the leader saw the request until each member's new size was
 * accepted, and until the member was ready; measured by one clock, or not at all. A total appears
 * only when the last member is ready.
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

/** Statistics of completed and measured transitions; percentiles by nearest rank. */
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
