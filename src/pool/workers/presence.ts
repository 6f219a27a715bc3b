// Which workers are there, which are away, and for how long?
import type { Age } from '../../core/state-ages.ts';
import type { PoolWorld } from '../world.ts';
import { failoverRules, isSuspended, mayBeGivenUp, type Presence } from './failover.ts';
import { hasJobs } from './members.ts';
import type { Seat } from './seats.ts';

export function presenceOf(
  { pool: { spec }, published, remembered: { distrusted } }: PoolWorld,
  seats: readonly Seat[],
  age: Age,
): Presence {
  const wanted = seats.filter(({ isDesired }) => isDesired);
  const isReady = new Set(
    wanted.flatMap(({ key, pod }) => (pod?.isReady === true && !pod.isTerminating ? [key] : [])),
  );
  const unproven = new Set(
    wanted.flatMap(({ key, from, pod }) =>
      spec.ok &&
      !isReady.has(key) &&
      published.neverReady.has(from) &&
      mayBeGivenUp(spec.value, pod)
        ? [key]
        : [],
    ),
  );
  const before = new Set(distrusted);
  const slices = published.assignment?.workloads;
  // A worker that was never Ready has no streams that could pass to others.
  const known = wanted
    .filter(
      ({ key, from }) =>
        !unproven.has(key) && (isReady.has(key) || before.has(key) || hasJobs(slices?.get(from))),
    )
    .map(({ key }) => key);
  const away = known.filter((key) => !isReady.has(key));
  const since = new Map(
    known.map((key) => [key, age(`presence ${key}`, String(isReady.has(key)))]),
  );
  const most = spec.ok ? failoverRules(spec.value).most : undefined;
  const calmMs = age('calm', String(!isSuspended(away.length, known.length, most)));
  return {
    missingMs: Object.fromEntries(away.map((key) => [key, Math.min(since.get(key) ?? 0, calmMs)])),
    readyMs: Object.fromEntries([...isReady].map((key) => [key, since.get(key) ?? 0])),
    neverReadyMs: Object.fromEntries(
      [...unproven].map((key) => [key, age(`never Ready ${key}`, '')]),
    ),
    distrusted,
  };
}
