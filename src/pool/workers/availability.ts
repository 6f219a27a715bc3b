// Which workers are available, how long has each been available or away, and whose streams pass to
// other workers?
import { hasJobs } from '../../api/assignment.ts';
import type { Pod, Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { type Age, measureAges } from '../../core/state-ages.ts';
import type { PoolWorld, Remembered } from '../world.ts';
import { type Seat, seatsOf } from './seats.ts';
import { type PoolSize, sizeWanted } from './size.ts';

export type Availability = {
  readonly size: PoolSize;
  readonly seats: readonly Seat[];
  readonly presence: Presence;
  readonly failover: Failover;
  /** By seat: why its pod could not be created. */
  readonly notCreated: Readonly<Record<string, string>>;
};

type Measured = {
  readonly availability: Availability;
  /** StatefulSets that lack pods: the operator reads the events of their controller. */
  readonly lacking: readonly Target[];
  readonly remembered: Remembered;
};

const unknown: Availability = {
  size: { wanted: undefined, needs: [], nextInMs: undefined },
  seats: [],
  presence: { missingMs: {}, readyMs: {}, distrusted: [] },
  failover: { failed: new Set(), givenUp: new Set(), isSuspended: false, nextInMs: undefined },
  notCreated: {},
};

/** Computed for blocked pools, too, so that times go on. */
export function measureAvailability(world: PoolWorld): Measured {
  const { pool, targets, remembered, monotonicMs } = world;
  const { spec } = pool;
  // Nothing was read, so the remembered times stay.
  if (world.exceededBy !== undefined) return { availability: unknown, lacking: [], remembered };
  if (!spec.ok) {
    const forgotten = { ...remembered, presence: new Map(), distrusted: [] };
    return { availability: unknown, lacking: [], remembered: forgotten };
  }
  const size = sizeWanted(world);
  const seats = seatsOf(world, spec.value, targets, size.wanted);
  const wanted = seats.filter(({ isDesired }) => isDesired);
  const { ages: presence, states } = measureAges(remembered.presence, monotonicMs, (age) =>
    presenceOf(world, spec.value, wanted, age),
  );
  const failover = failoverAmong(seats, presence, spec.value);
  return {
    availability: { size, seats, presence, failover, notCreated: notCreated(world, wanted) },
    lacking: targets.filter(
      ({ kind, name }) =>
        kind === 'StatefulSet' &&
        wanted.some((seat) => seat.pod === undefined && setOf(seat.name) === name),
    ),
    remembered: {
      ...remembered,
      presence: states,
      needs: size.needs,
      distrusted: wanted.map(({ key }) => key).filter((key) => failover.failed.has(key)),
    },
  };
}

/**
 * Which workers are Ready, away, or were never Ready, and for how long? The state of a worker's
 * presence has the seat's key for a name, which no other state has: it ends with a number.
 */
function presenceOf(
  { published, remembered: { distrusted } }: PoolWorld,
  spec: SwarmPoolSpec,
  wanted: readonly Seat[],
  age: Age,
): Presence {
  const hadFailed = new Set(distrusted);
  const slices = published.assignment?.workloads;
  const readyMs: Record<string, number> = {};
  const neverReadyMs: Record<string, number> = {};
  const awayMs = new Map<string, number>();
  let known = 0;
  for (const { key, from, pod } of wanted) {
    if (pod?.isReady === true && !pod.isTerminating) {
      readyMs[key] = age(key, 'true');
      known += 1;
    } else if (published.neverReady.has(from) && mayBeGivenUp(spec, pod))
      neverReadyMs[key] = age(`never Ready ${key}`, '');
    // A worker that is away counts if it has streams, or had streams that passed to others.
    else if (hadFailed.has(key) || hasJobs(slices?.get(from))) {
      awayMs.set(key, age(key, 'false'));
      known += 1;
    }
  }
  const { most } = failoverRules(spec);
  const calmMs = age('calm', String(!isSuspended(awayMs.size, known, most)));
  const missingMs = Object.fromEntries(
    [...awayMs].map(([key, ms]) => [key, Math.min(ms, calmMs)] as const),
  );
  return {
    ...{ missingMs, readyMs, neverReadyMs, distrusted },
    ...(spec.rebalance.delaySeconds > 0 && {
      steadyMs: age('workers', Object.keys(readyMs).sort().join(' ')),
    }),
  };
}

const setOf = (pod: string): string => pod.slice(0, pod.lastIndexOf('-'));

/** A Deployment shows the reason in its status, the controller of StatefulSets only in events. */
function notCreated(
  { targets, creationFailures }: PoolWorld,
  wanted: readonly Seat[],
): Availability['notCreated'] {
  const deployment = targets.find(({ createFailure }) => createFailure !== undefined);
  return Object.fromEntries(
    wanted.flatMap(({ pod, slot, name, key }) => {
      if (pod !== undefined) return [];
      const why = slot === undefined ? creationFailures.get(name) : deployment?.createFailure;
      return why === undefined ? [] : [[key, why]];
    }),
  );
}

/** For a pool that gives its streams back: it has only former workers. */
export function withoutTargets(
  world: PoolWorld,
  spec: SwarmPoolSpec,
  availability: Availability,
): Availability {
  const seats = seatsOf(world, spec, [], undefined);
  return { ...availability, seats, failover: failoverAmong(seats, availability.presence, spec) };
}

export const failoverAmong = (
  seats: readonly Seat[],
  presence: Presence,
  spec: SwarmPoolSpec,
): Failover =>
  failoverOf(
    seats.filter(({ isDesired }) => isDesired).map(({ key }) => key),
    presence,
    failoverRules(spec),
  );

/** An unstable worker would move its streams back and forth: it is trusted after this time. */
const TRUSTED_AFTER_MS = 10_000;
const DEFAULT_TIMEOUT_SECONDS = 300;

/**
 * By seat, measured by the leader's monotonic clock: the time without a Ready pod, or with one.
 * Omits workers that were never Ready. After an outage of most workers, the time of each starts
 * again.
 */
export type Presence = {
  readonly missingMs: Readonly<Record<string, number>>;
  readonly readyMs: Readonly<Record<string, number>>;
  /** Workers known to have never been Ready: the time for which the pool has waited for them. */
  readonly neverReadyMs?: Readonly<Record<string, number>>;
  /** Workers that failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
  /** How long the same workers have been Ready; omitted if spec.rebalance.delaySeconds is 0. */
  readonly steadyMs?: number;
};

type Failover = {
  readonly failed: ReadonlySet<string>;
  /** The failed workers that were never Ready. */
  readonly givenUp: ReadonlySet<string>;
  /** Too many workers are away: no streams pass to others. */
  readonly isSuspended: boolean;
  /** The time until the next worker fails or is trusted again. */
  readonly nextInMs: number | undefined;
};

export type FailoverRules = {
  /** Undefined: a worker that was Ready never fails. */
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

/**
 * May a worker that was never Ready be given up? With Exclusive, only while it has no pod that
 * could run anything.
 */
export function mayBeGivenUp({ workers, handoff }: SwarmPoolSpec, pod: Pod | undefined): boolean {
  return handoff.type === 'Exclusive' ? pod === undefined : workers.failover?.policy !== 'Never';
}

/** The time that streams which could stay wait before they move. */
export const rebalanceInMs = ({ rebalance }: SwarmPoolSpec, { steadyMs }: Presence): number =>
  rebalance.policy === 'Always'
    ? Math.max(0, rebalance.delaySeconds * 1000 - (steadyMs ?? Number.POSITIVE_INFINITY))
    : 0;

/** A number of workers, or a percentage of the known ones. */
type MostAway = number | string;

const DEFAULT_MOST_AWAY = '50%';

/**
 * While more workers are away, the cause is probably larger: moving all streams to the remaining
 * workers would make it worse.
 */
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
  // While no worker is Ready, no other worker could take the streams: a first start may take its
  // time.
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
  /** The names whose time is over, and the remaining time of the others. */
  readonly over: readonly string[];
  readonly leftMs: readonly number[];
};

function timersOf(
  names: readonly string[],
  ageMs: Readonly<Record<string, number>>,
  limitMs: number,
): Timers {
  if (!hasAny(ageMs)) return { count: 0, over: [], leftMs: [] };
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

/** The record may have an entry for each worker, and only the first is looked at. */
export function hasAny(record: object): boolean {
  for (const _ in record) return true;
  return false;
}

const leastOf = (waits: readonly number[]): number | undefined =>
  waits.length === 0 ? undefined : Math.min(...waits);
