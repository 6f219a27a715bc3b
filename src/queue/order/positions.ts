// Which place does each waiting job have in its queue? A job that cannot start unless a user
// changes something has no place: no other job waits for it.
import type { AdmissionPass } from '../admit.ts';
import { isNeverStarted } from '../reasons.ts';
import type { WaitingJob } from '../world.ts';

type Jobs<Job> = readonly (Job & Pick<WaitingJob, 'uid'>)[];

const hasPlace =
  (waiting: AdmissionPass['waiting']) =>
  ({ uid }: Pick<WaitingJob, 'uid'>): boolean =>
    !isNeverStarted(waiting.get(uid)?.reason ?? '');

/** Places from 1, by UID. `jobs` are the jobs of one queue, in their order. */
export const positionsOf = (
  jobs: Jobs<unknown>,
  waiting: AdmissionPass['waiting'],
): ReadonlyMap<string, number> =>
  new Map(jobs.filter(hasPlace(waiting)).map(({ uid }, index) => [uid, index + 1]));

/**
 * Sorted by the order of admission. Jobs without a place come last, so that they hide no other job,
 * however many they are.
 */
export function placedFirst<Job>(
  jobs: Jobs<Job>,
  waiting: AdmissionPass['waiting'],
): readonly Job[] {
  const isPlaced = hasPlace(waiting);
  return [...jobs.filter(isPlaced), ...jobs.filter((job) => !isPlaced(job))];
}
