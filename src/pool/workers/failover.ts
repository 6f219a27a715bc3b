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
  /** How long the same workers have been Ready; left out where spec.rebalance.delaySeconds is 0. */
  readonly steadyMs?: number;
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

/** How long streams that could stay wait before they move. */
export const rebalanceInMs = ({ rebalance }: SwarmPoolSpec, { steadyMs }: Presence): number =>
  rebalance.policy === 'Always'
    ? Math.max(0, rebalance.delaySeconds * 1000 - (steadyMs ?? Number.POSITIVE_INFINITY))
    : 0;

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
  { missingMs, readyMs, neverReadyMs = {}, distrusted: hadFailed }: Presence,
  { afterMs, neverReadyAfterMs, most }: FailoverRules,
): Failover {
  const ready = desired.filter((name) => readyMs[name] !== undefined);
  // While no worker is Ready, none could take the streams: a first start may take its time.
  const unproven = ready.length === 0 ? [] : desired;
  const neverReady = timersOf(unproven, neverReadyMs, neverReadyAfterMs);
  const givenUp = new Set(neverReady.over);
  if (afterMs === undefined)
    return {
      failed: givenUp,
      givenUp,
      isSuspended: false,
      nextInMs: leastOf(neverReady.leftMs),
    };
  const away = timersOf(desired, missingMs, afterMs);
  const trustedInMs = (name: string): number => TRUSTED_AFTER_MS - (readyMs[name] ?? 0);
  const distrusted = hadFailed.filter((name) => trustedInMs(name) > 0);
  const isTooMany = isSuspended(away.count, away.count + ready.length, most);
  return {
    failed: new Set([...(isTooMany ? [] : away.over), ...distrusted, ...givenUp]),
    givenUp,
    isSuspended: isTooMany,
    nextInMs: leastOf([...away.leftMs, ...distrusted.map(trustedInMs), ...neverReady.leftMs]),
  };
}

type Timers = {
  readonly count: number;
  /** The names whose time is over, and the time that others have left. */
  readonly over: readonly string[];
  readonly leftMs: readonly number[];
};

function timersOf(
  names: readonly string[],
  ageMs: Readonly<Record<string, number>>,
  limitMs: number,
): Timers {
  const timers = names.flatMap((name) => {
    const age = ageMs[name];
    return age === undefined ? [] : [{ name, left: limitMs - age }];
  });
  return {
    count: timers.length,
    over: timers.filter(({ left }) => left <= 0).map(({ name }) => name),
    leftMs: timers.map(({ left }) => left).filter((left) => left > 0),
  };
}

const leastOf = (waits: readonly number[]): number | undefined =>
  waits.length === 0 ? undefined : Math.min(...waits);
