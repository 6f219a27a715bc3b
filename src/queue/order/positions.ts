// Which place has each waiting job in its queue? One that never starts as things are has none: no
// other job waits for it.
import type { AdmissionPass } from '../admit.ts';
import { isNeverStarted } from '../reasons.ts';
import type { WaitingJob } from '../world.ts';

type Jobs<Job> = readonly (Job & Pick<WaitingJob, 'uid'>)[];

const hasPlace =
  (waiting: AdmissionPass['waiting']) =>
  ({ uid }: Pick<WaitingJob, 'uid'>): boolean =>
    !isNeverStarted(waiting.get(uid)?.reason ?? '');

/** From 1, by UID. `jobs`: those of one queue, in their order. */
export const positionsOf = (
  jobs: Jobs<unknown>,
  waiting: AdmissionPass['waiting'],
): ReadonlyMap<string, number> =>
  new Map(jobs.filter(hasPlace(waiting)).map(({ uid }, index) => [uid, index + 1]));

/** In their order, those without a place last: however many they are, they hide no other job. */
export function placedFirst<Job>(
  jobs: Jobs<Job>,
  waiting: AdmissionPass['waiting'],
): readonly Job[] {
  const isPlaced = hasPlace(waiting);
  return [...jobs.filter(isPlaced), ...jobs.filter((job) => !isPlaced(job))];
}
