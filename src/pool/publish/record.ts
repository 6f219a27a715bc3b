// Which versions of the publication are recorded besides its files: in status, on ConfigMaps and
// pods, by workers? From which one does the next go on, and what is uncertain?
import { notedOn } from '../workers/seats.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { isEdited } from './config-map.ts';
import type { Uncertainty } from './handoff.ts';

type Records = Pick<PoolWorld, 'pool' | 'published' | 'highestSeen'>;

const noted = ({ pool, published }: Records): number =>
  Math.max(pool.status?.version ?? 0, published.change?.version ?? 0);

/** The highest version that the operator noted in status, on the ConfigMaps and on pods. */
export const recordedVersion = (world: Records, workers: readonly PoolWorker[]): number =>
  workers.reduce((highest, { pod }) => Math.max(highest, notedOn(pod)?.version ?? 0), noted(world));

export const uncertaintyOf = (
  { highestSeen, published: { assignment, shards } }: Records,
  recorded: number,
): Uncertainty => ({
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
