// Which workers are there, which are away, and for how long?
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Age } from '../../core/state-ages.ts';
import type { PoolWorld } from '../world.ts';
import { failoverRules, isSuspended, mayBeGivenUp, type Presence } from './failover.ts';
import type { Seat } from './seats.ts';
import { hasJobs } from './workers.ts';

export function presenceOf(
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
  };
}
