// Which version is the lowest for the next publication, and were workers told more than is known?
import { readAssigned } from '../../api/assignment.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import type { Doubts } from './handoff.ts';
import { isEdited } from './notes.ts';

type Records = Pick<PoolWorld, 'pool' | 'published' | 'highestSeen'>;

const noted = ({ pool, published }: Records): number =>
  Math.max(pool.status?.version ?? 0, published.change?.version ?? 0);

/** The highest version that the operator noted in status, on the ConfigMaps and on pods. */
export const recordedVersion = (world: Records, workers: readonly PoolWorker[]): number =>
  workers.reduce(
    (highest, { pod }) => Math.max(highest, readAssigned(pod?.assigned)?.version ?? 0),
    noted(world),
  );

export const doubtsAbout = (
  { highestSeen, published: { assignment, shards } }: Records,
  recorded: number,
): Doubts => ({
  isRewound: highestSeen > Math.max(recorded, assignment?.version ?? 0),
  isEdited: shards.some((it) => it.isSuperseded !== true && isEdited(it)),
});

export const wasPublished = (world: Records): boolean =>
  Math.max(noted(world), world.highestSeen) > 0;

/**
 * Reports count only where the publication is missing or older than what the operator recorded: a
 * worker that lies cannot drive the version.
 */
export function floorOf(
  { published: { assignment }, highestSeen }: Records,
  recorded: number,
  workers: readonly PoolWorker[],
): number {
  const floor = Math.max(recorded, highestSeen);
  if (assignment !== undefined && floor > 0 && assignment.version >= floor) return floor;
  return workers.reduce(
    (highest, { answer }) =>
      answer?.ok === true ? Math.max(highest, answer.report.version) : highest,
    floor,
  );
}
