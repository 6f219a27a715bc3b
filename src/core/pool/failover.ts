// Whose streams pass to others because it has been away for too long?
import type { SwarmPoolSpec } from '../../api/validate.ts';

/** Back for this long, a worker is trusted again; one that comes and goes would drag its streams along. */
const TRUSTED_AFTER_MS = 10_000;
const DEFAULT_TIMEOUT_SECONDS = 300;

/** By worker name, as the leader has seen it with its own clock: for how long without a Ready pod, or with one. */
export type Presence = {
  readonly missingMs: Readonly<Record<string, number>>;
  readonly readyMs: Readonly<Record<string, number>>;
  /** Workers that had failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
};

export type Failover = {
  readonly failed: ReadonlySet<string>;
  /** When time alone makes another one fail, or be trusted again. */
  readonly nextInMs: number | undefined;
};

/** Undefined: never. */
export function failoverAfterMs({ workers, handoff }: SwarmPoolSpec): number | undefined {
  const policy = workers.failover?.policy ?? (handoff.type === 'Exclusive' ? 'Never' : 'AfterTimeout');
  return policy === 'Never' ? undefined : (workers.failover?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
}

/** While more than half are away, something larger is the matter, and moving everything onto the rest would make it worse. */
export function failoverOf(desired: readonly string[], presence: Presence, afterMs: number | undefined): Failover {
  if (afterMs === undefined) return { failed: new Set(), nextInMs: undefined };
  const away = desired.filter((name) => presence.missingMs[name] !== undefined);
  const late = away.filter((name) => (presence.missingMs[name] ?? 0) >= afterMs);
  const waits = [
    ...away.map((name) => afterMs - (presence.missingMs[name] ?? 0)),
    ...presence.distrusted.map((name) => TRUSTED_AFTER_MS - (presence.readyMs[name] ?? 0)),
  ].filter((wait) => wait > 0);
  const isSuspended = away.length * 2 > desired.length;
  return {
    failed: new Set(isSuspended ? presence.distrusted : [...late, ...presence.distrusted]),
    nextInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** What the leader remembers from one look to the next. */
export function distrustedAfter(desired: readonly string[], presence: Presence, afterMs: number | undefined): readonly string[] {
  if (afterMs === undefined) return [];
  const { failed } = failoverOf(desired, presence, afterMs);
  return desired.filter((name) => failed.has(name) && (presence.readyMs[name] ?? 0) < TRUSTED_AFTER_MS);
}
