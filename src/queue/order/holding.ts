// Which resources will a waiting job occupy, and by when does it free them?
import type { WaitingJob } from '../world.ts';
import type { Demand } from './free-quota.ts';
import type { Holding, Until } from './when-free.ts';

type Starts = { readonly starts: Until; readonly startsInMs: number };

/** `starts` is the latest time of its admission. */
export function holdingFrom(
  job: WaitingJob,
  holds: readonly Demand[],
  { starts, startsInMs }: Starts,
): Holding {
  const { name, deadlineSeconds, endsInMs } = job;
  if ('unknown' in starts) return { holds, until: starts };
  const until =
    deadlineSeconds === undefined
      ? { unknown: `job ${name} has no deadline` }
      : { ms: starts.ms + startsInMs + deadlineSeconds * 1000 + endsInMs };
  return { holds, until };
}
