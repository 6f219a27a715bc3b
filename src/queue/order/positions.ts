// Which place has each waiting job in its queue? One that never starts as things are has none: no
// other job waits for it.
import type { AdmissionPass } from '../admit.ts';
import { isNeverStarted } from '../reasons.ts';
import type { WaitingJob } from '../world.ts';

/** From 1, by UID. `jobs`: those of one queue, in their order. */
export const positionsOf = (
  jobs: readonly Pick<WaitingJob, 'uid'>[],
  waiting: AdmissionPass['waiting'],
): ReadonlyMap<string, number> =>
  new Map(
    jobs
      .filter(({ uid }) => !isNeverStarted(waiting.get(uid)?.reason ?? ''))
      .map(({ uid }, index) => [uid, index + 1]),
  );
