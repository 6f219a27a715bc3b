// Does a stream go on at its worker while a user's typo says what no worker could be given?
import type { DecisionReport } from '../../../src/core/decision.ts';
import { desiredIn, type PoolDecision } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';

/** Judged where no other stream reserves anything, so that no stream needs the room. */
export function lostByMistake({
  world,
  decision,
}: DecisionReport<PoolWorld, PoolDecision>): readonly string[] {
  const desired = desiredIn(decision);
  if (desired === undefined) return [];
  const { streams, workers, assigned, spec } = desired;
  const taking = workers.filter(({ hasJoined }) => hasJoined);
  const ordinals = new Set(taking.map(({ ordinal }) => ordinal));
  const isMistaken = ({ weight, ordinal }: (typeof streams)[number]): boolean =>
    (weight > spec.workers.capacity && spec.overcommit === 'Deny') ||
    (ordinal !== undefined && !ordinals.has(ordinal));
  if (streams.some((it) => it.weight > 0 && !isMistaken(it))) return [];
  const cordoned = new Set(spec.workers.cordoned);
  const mistaken = new Set(
    streams.flatMap((it) =>
      isMistaken(it) && !cordoned.has(it.ordinal ?? -1) && !desired.completed.has(it.name)
        ? [it.name]
        : [],
    ),
  );
  return taking
    .filter(({ isCordoned }) => !isCordoned)
    .flatMap(({ name, from }) => {
      const given = new Set(assigned.jobs.get(name));
      return (world.published.placed.get(from) ?? [])
        .filter((stream) => mistaken.has(stream) && !given.has(stream))
        .map((stream) => `${stream} leaves ${name} for a typo`);
    });
}
