// Whose streams pass to others because the worker has been away for too long?
import type { Pod } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';

/** A worker that comes and goes would drag its streams along: it is trusted after this time. */
const TRUSTED_AFTER_MS = 10_000;
const DEFAULT_TIMEOUT_SECONDS = 300;

/**
 * By seat, by the leader's own clock: how long without a Ready pod, or with one. Workers that were
 * never there are in neither. After an outage of most workers, each gets its whole time anew.
 */
export type Presence = {
  readonly missingMs: Readonly<Record<string, number>>;
  readonly readyMs: Readonly<Record<string, number>>;
  /** Workers known to have never been Ready: how long they have been waited for. */
  readonly neverReadyMs?: Readonly<Record<string, number>>;
  /** Workers that failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
};

export type Failover = {
  readonly failed: ReadonlySet<string>;
  /** Of these, those that were never Ready. */
  readonly givenUp: ReadonlySet<string>;
  /** So many are away that no streams pass to others. */
  readonly isSuspended: boolean;
  /** When the next one fails or is trusted again. */
  readonly nextInMs: number | undefined;
};

export type FailoverRules = {
  /** Undefined: never. */
  readonly afterMs: number | undefined;
  readonly neverReadyAfterMs: number;
  readonly most: MostAway;
};

export function failoverRules({ workers, handoff }: SwarmPoolSpec): FailoverRules {
  const policy =
    workers.failover?.policy ?? (handoff.type === 'Exclusive' ? 'Never' : 'AfterTimeout');
  const timeoutMs = (workers.failover?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
  const most = workers.failover?.maxUnavailable ?? DEFAULT_MOST_AWAY;
  return {
    afterMs: policy === 'Never' ? undefined : timeoutMs,
    neverReadyAfterMs: timeoutMs,
    most,
  };
}

/** Of one that was never Ready. Exclusive: only while it has no pod, where nothing can run. */
export function mayBeGivenUp({ workers, handoff }: SwarmPoolSpec, pod: Pod | undefined): boolean {
  return handoff.type === 'Exclusive' ? pod === undefined : workers.failover?.policy !== 'Never';
}

/** A number of workers, or a percentage of the known ones. */
type MostAway = number | string;

const DEFAULT_MOST_AWAY = '50%';

/** While more are away the cause is larger: moving all streams to the rest would make it worse. */
export const isSuspended = (
  away: number,
  known: number,
  most: MostAway = DEFAULT_MOST_AWAY,
): boolean =>
  typeof most === 'number' ? away > most : away * 100 > Number.parseInt(most, 10) * known;

export function failoverOf(
  desired: readonly string[],
  presence: Presence,
  rules: FailoverRules,
): Failover {
  const { afterMs, most } = rules;
  const unproven = unprovenOf(desired, presence, rules);
  const givenUp = new Set(unproven.late);
  if (afterMs === undefined)
    return { failed: givenUp, givenUp, isSuspended: false, nextInMs: unproven.nextInMs };
  const away = desired.filter((name) => presence.missingMs[name] !== undefined);
  const late = away.filter((name) => (presence.missingMs[name] ?? 0) >= afterMs);
  const trustedInMs = (name: string): number => TRUSTED_AFTER_MS - (presence.readyMs[name] ?? 0);
  const distrusted = presence.distrusted.filter((name) => trustedInMs(name) > 0);
  const waits = [
    ...away.map((name) => afterMs - (presence.missingMs[name] ?? 0)).filter((wait) => wait > 0),
    ...distrusted.map(trustedInMs),
    ...(unproven.nextInMs === undefined ? [] : [unproven.nextInMs]),
  ];
  const isTooMany = isSuspended(
    away.length,
    away.length + desired.filter((name) => presence.readyMs[name] !== undefined).length,
    most,
  );
  return {
    failed: new Set([...(isTooMany ? [] : late), ...distrusted, ...givenUp]),
    givenUp,
    isSuspended: isTooMany,
    nextInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** While no worker is Ready, none could take the streams: a first start may take its time. */
function unprovenOf(
  desired: readonly string[],
  { neverReadyMs = {}, readyMs }: Presence,
  { neverReadyAfterMs }: FailoverRules,
): { readonly late: readonly string[]; readonly nextInMs: number | undefined } {
  const isAnyThere = desired.some((name) => readyMs[name] !== undefined);
  const waits = desired.flatMap((name) =>
    neverReadyMs[name] === undefined
      ? []
      : [[name, neverReadyAfterMs - neverReadyMs[name]] as const],
  );
  if (!isAnyThere || waits.length === 0) return { late: [], nextInMs: undefined };
  const left = waits.map(([, wait]) => wait).filter((wait) => wait > 0);
  const late = waits.flatMap(([name, wait]) => (wait <= 0 ? [name] : []));
  return { late, nextInMs: left.length === 0 ? undefined : Math.min(...left) };
}
