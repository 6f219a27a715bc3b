// Worlds of a group `db`, `service`, `web` in three stages: time passes, and members but those that
// are stuck get ready.
import type { GroupWorld } from '../../src/group/world.ts';
import { groupWorld, next, ready, settled, withMember, withSpec } from './group-worlds.ts';

/** The time-out. */
export const T = 10_000;
export const stages = { db: { stage: 0 }, service: { stage: 1 }, web: { stage: 2 } };

export const spec = (order = 'Staged', onTimeout = 'Rollback') => ({
  transition: { order, timeoutSeconds: T / 1000, onTimeout, retryAfterSeconds: 60 },
});

/** At rest. */
export const atSize = (replicas: number, order?: string, onTimeout?: string): GroupWorld =>
  settled(
    withSpec(settled(groupWorld({ members: stages, spec: spec(order, onTimeout) })), { replicas }),
  );

/** Its controller sees its size, and no pod comes or goes. */
const withSizeSeen = (at: GroupWorld, name: string): GroupWorld =>
  withMember(at, name, ({ size }) => ({ size: { ...size, observedGeneration: size.generation } }));

/** Decides often; all members get ready but the stuck ones. */
export function pass(at: GroupWorld, ms: number, ...stuckOnes: readonly string[]): GroupWorld {
  let world = at;
  const names = world.members.map(({ name }) => name).filter((it) => !stuckOnes.includes(it));
  for (let left = ms; left > 0; left -= 1_000)
    world = stuckOnes.reduce(withSizeSeen, ready(next(world, Math.min(left, 1_000)), ...names));
  return world;
}

/** As `pass`, until the group rolls back. */
export function untilBack(at: GroupWorld, ...stuckOnes: readonly string[]): GroupWorld {
  let world = at;
  for (let seconds = 0; seconds < 100; seconds += 1) {
    world = pass(world, 1_000, ...stuckOnes);
    if (world.group.status?.transition?.state === 'RollingBack') return world;
  }
  throw new Error('it never goes back');
}

/** "2-4 Completed", the newest first. */
export const outcomes = (at: GroupWorld): readonly string[] =>
  (at.group.status?.history ?? []).map(({ from, to, outcome }) => `${from}-${to} ${outcome}`);
