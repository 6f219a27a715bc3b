// Which workers are there, how long has each been there or away, and whose streams pass to others?
import type { Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { measureAges } from '../../core/state-ages.ts';
import type { Remembered } from '../remembered.ts';
import type { PoolWorld } from '../world.ts';
import { type Failover, failoverOf, failoverRules, type Presence } from './failover.ts';
import { notCreated, setsLackingPods } from './not-created.ts';
import { presenceOf } from './presence.ts';
import { type Seat, scalesTarget, seatsOf } from './seats.ts';

export type Workers = {
  readonly seats: readonly Seat[];
  readonly presence: Presence;
  readonly failover: Failover;
  /** By seat: why its pod could not be created. */
  readonly notCreated: Readonly<Record<string, string>>;
};

type WorkersSeen = {
  readonly workers: Workers;
  /** StatefulSets that lack pods: the events of their controller are to be read. */
  readonly lacking: readonly Target[];
  readonly remembered: Remembered;
};

const nobody: Workers = {
  seats: [],
  presence: { missingMs: {}, readyMs: {}, distrusted: [] },
  failover: { failed: new Set(), givenUp: new Set(), isSuspended: false, nextInMs: undefined },
  notCreated: {},
};

/** Also for a blocked pool, so that times go on. */
export function workersSeen(world: PoolWorld): WorkersSeen {
  const { pool, targets, remembered, monotonicMs } = world;
  // Nothing was read: what is remembered holds.
  if (world.excess !== undefined) return { workers: nobody, lacking: [], remembered };
  const { spec } = pool;
  const seats = spec.ok ? seatsFor(world, spec.value, targets) : [];
  const measured = measureAges(remembered.presence, monotonicMs, (age) =>
    presenceOf(world, seats, age),
  );
  const presence = measured.ages;
  const failover = spec.ok ? failoverAmong(seats, presence, spec.value) : nobody.failover;
  const wanted = seats.filter(({ isDesired }) => isDesired);
  return {
    workers: {
      seats,
      presence,
      failover,
      notCreated: notCreated(targets, wanted, world.creationFailures),
    },
    lacking: setsLackingPods(targets, wanted),
    remembered: {
      ...remembered,
      presence: measured.states,
      distrusted: wanted.map(({ key }) => key).filter((key) => failover.failed.has(key)),
    },
  };
}

/** For a pool that gives its streams back: only former workers are its own. */
export function withoutTargets(world: PoolWorld, spec: SwarmPoolSpec, workers: Workers): Workers {
  const seats = seatsFor(world, spec, []);
  return { ...workers, seats, failover: failoverAmong(seats, workers.presence, spec) };
}

export const seatsFor = (
  { pods, formerPods, published, autoscaler }: PoolWorld,
  spec: SwarmPoolSpec,
  targets: readonly Target[],
): readonly Seat[] =>
  seatsOf({
    spec,
    targets,
    pods,
    formerPods,
    previous: published.assignment,
    leads: scalesTarget(spec, autoscaler),
  });

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
