// Is the rank that a user names one of the job?
import type { SwarmJob } from '../../api/validate.ts';
import { CommandError } from '../arguments/command.ts';

export const sizeOf = ({ spec }: SwarmJob): number => (spec.ok ? spec.value.size : 1);

export function requireRank(job: SwarmJob, rank: number): void {
  const size = sizeOf(job);
  if (rank < size) return;
  throw new CommandError(
    `--rank is ${rank}; SwarmJob ${job.meta.name} has ${size === 1 ? 'the rank 0 only' : `the ranks 0 to ${size - 1}`}`,
  );
}
