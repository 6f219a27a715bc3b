// Which version is the lowest for the next publication, and were workers told more than is
// recorded?
import { highestAnnotated, highestReported } from '../refresh/convergence.ts';
import type { Member } from '../workers/members.ts';
import type { PoolWorld } from '../world.ts';
import type { Doubts } from './handoff.ts';
import { isEdited } from './notes.ts';

/** The highest version that the operator noted in status, on the ConfigMaps and on pods. */
export const recordedVersion = (
  { pool, published }: PoolWorld,
  members: readonly Member[],
): number =>
  Math.max(pool.status?.version ?? 0, published.change?.version ?? 0, highestAnnotated(members));

export const doubtsAbout = (
  { highestSeen, published: { assignment, shards } }: PoolWorld,
  recorded: number,
): Doubts => ({
  isRewound: highestSeen > Math.max(recorded, assignment?.version ?? 0),
  isEdited: shards.some((it) => it.isSuperseded !== true && isEdited(it)),
});

export const wasPublished = ({ pool, published, highestSeen }: PoolWorld): boolean =>
  Math.max(pool.status?.version ?? 0, published.change?.version ?? 0, highestSeen) > 0;

/**
 * Reports count only where the publication is missing or older than what the operator noted: a
 * worker that lies cannot drive the version.
 */
export function floorOf(
  { published: { assignment }, highestSeen }: PoolWorld,
  recorded: number,
  members: readonly Member[],
): number {
  const noted = Math.max(recorded, highestSeen);
  const published = assignment?.version;
  const isRecordWhole = published !== undefined && noted > 0 && published >= noted;
  return isRecordWhole ? noted : Math.max(noted, highestReported(members));
}
