// Which workers are there, how long has each been there or away, and whose streams pass to others?
import { hasJobs } from '../../api/assignment.ts';
import type { Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { type Age, measureAges } from '../../core/state-ages.ts';
import type { PoolWorld, Remembered } from '../world.ts';
import {
  type Failover,
  failoverOf,
  failoverRules,
  isSuspended,
  mayBeGivenUp,
  type Presence,
} from './failover.ts';
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
  /** StatefulSets that lack pods: the events of their controller are to be read. */
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

/** Also for a blocked pool, so that times go on. */
export function measureAvailability(world: PoolWorld): Measured {
  const { pool, targets, remembered, monotonicMs } = world;
  const { spec } = pool;
  // Nothing was read: what is remembered holds.
  if (world.excess !== undefined) return { availability: unknown, lacking: [], remembered };
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

/** Which workers are Ready, away, or were never Ready, and for how long? */
function presenceOf(
  { published, remembered: { distrusted } }: PoolWorld,
  spec: SwarmPoolSpec,
  wanted: readonly Seat[],
  age: Age,
): Presence {
  const isReady = new Set(
    wanted.flatMap(({ key, pod }) => (pod?.isReady === true && !pod.isTerminating ? [key] : [])),
  );
  const neverReady = new Set(
    wanted.flatMap(({ key, from, pod }) =>
      !isReady.has(key) && published.neverReady.has(from) && mayBeGivenUp(spec, pod) ? [key] : [],
    ),
  );
  const hadFailed = new Set(distrusted);
  const slices = published.assignment?.workloads;
  // A worker that was never Ready has no streams that could pass to others.
  const known = wanted
    .filter(
      ({ key, from }) =>
        !neverReady.has(key) &&
        (isReady.has(key) || hadFailed.has(key) || hasJobs(slices?.get(from))),
    )
    .map(({ key }) => key);
  const away = known.filter((key) => !isReady.has(key));
  const since = new Map(
    known.map((key) => [key, age(`presence ${key}`, String(isReady.has(key)))]),
  );
  const { most } = failoverRules(spec);
  const calmMs = age('calm', String(!isSuspended(away.length, known.length, most)));
  return {
    missingMs: Object.fromEntries(away.map((key) => [key, Math.min(since.get(key) ?? 0, calmMs)])),
    readyMs: Object.fromEntries([...isReady].map((key) => [key, since.get(key) ?? 0])),
    neverReadyMs: Object.fromEntries(
      [...neverReady].map((key) => [key, age(`never Ready ${key}`, '')]),
    ),
    distrusted,
    ...(spec.rebalance.delaySeconds > 0 && {
      steadyMs: age('workers', [...isReady].sort().join(' ')),
    }),
  };
}

const setOf = (pod: string): string => pod.slice(0, pod.lastIndexOf('-'));

/** A Deployment says why in its status, the controller of StatefulSets only in events. */
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

/** For a pool that gives its streams back: only former workers are its own. */
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
