// Which job goes first? Priority, then age; of the same second, the one with the smaller name.
import type { WaitingJob } from '../world.ts';

export const inOrder = (jobs: readonly WaitingJob[]): readonly WaitingJob[] =>
  [...jobs].sort(
    (a, b) =>
      b.priority - a.priority ||
      a.createdMs - b.createdMs ||
      (a.name < b.name ? -1 : Number(a.name > b.name)),
  );
