// Whose streams pass to others because it has been away for too long?
import type { SwarmPoolSpec } from '../../../api/validate.ts';

/** Back for this long, a worker is trusted again; one that comes and goes would drag its streams along. */
const TRUSTED_AFTER_MS = 10_000;
const DEFAULT_TIMEOUT_SECONDS = 300;

/**
 * By worker name, as the leader has seen it with its own clock: for how long without a Ready pod, or with one. Workers that have never been
 * there are in neither: they have nothing that could pass to others, and say nothing about how many are lost. Away for long with most of
 * the others, a worker gets its whole time anew when those are back: its own return may be a matter of seconds.
 */
export type Presence = {
  readonly missingMs: Readonly<Record<string, number>>;
  readonly readyMs: Readonly<Record<string, number>>;
  /** Workers that had failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
};

export type Failover = {
  readonly failed: ReadonlySet<string>;
  /** So many are away that nobody's streams pass to others. */
  readonly isSuspended: boolean;
  /** When time alone makes another one fail, or be trusted again. */
  readonly nextInMs: number | undefined;
};

/** Undefined: never. */
export function failoverAfterMs({ workers, handoff }: SwarmPoolSpec): number | undefined {
  const policy = workers.failover?.policy ?? (handoff.type === 'Exclusive' ? 'Never' : 'AfterTimeout');
  return policy === 'Never' ? undefined : (workers.failover?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
}

/** `maxUnavailable`: a number of workers, or a percentage of those that are known. */
export type MostAway = number | string;

const DEFAULT_MOST_AWAY = '50%';

export const mostAwayOf = ({ workers }: SwarmPoolSpec): MostAway => workers.failover?.maxUnavailable ?? DEFAULT_MOST_AWAY;

/** While more are away, something larger is the matter, and moving everything onto the rest would make it worse. Nothing is rounded. */
export const isSuspended = (away: number, known: number, most: MostAway = DEFAULT_MOST_AWAY): boolean =>
  typeof most === 'number' ? away > most : away * 100 > Number.parseInt(most, 10) * known;

export function failoverOf(desired: readonly string[], presence: Presence, afterMs: number | undefined, most?: MostAway): Failover {
  if (afterMs === undefined) return { failed: new Set(), isSuspended: false, nextInMs: undefined };
  const away = desired.filter((name) => presence.missingMs[name] !== undefined);
  const late = away.filter((name) => (presence.missingMs[name] ?? 0) >= afterMs);
  const trustedInMs = (name: string): number => TRUSTED_AFTER_MS - (presence.readyMs[name] ?? 0);
  const distrusted = presence.distrusted.filter((name) => trustedInMs(name) > 0);
  const waits = [
    ...away.map((name) => afterMs - (presence.missingMs[name] ?? 0)).filter((wait) => wait > 0),
    ...distrusted.map(trustedInMs),
  ];
  const isTooMany = isSuspended(away.length, away.length + desired.filter((name) => presence.readyMs[name] !== undefined).length, most);
  return {
    failed: new Set(isTooMany ? distrusted : [...late, ...distrusted]),
    isSuspended: isTooMany,
    nextInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** What the leader remembers from one look to the next. */
export function distrustedAfter(
  desired: readonly string[],
  presence: Presence,
  afterMs: number | undefined,
  most?: MostAway,
): readonly string[] {
  const { failed } = failoverOf(desired, presence, afterMs, most);
  return desired.filter((name) => failed.has(name));
}
