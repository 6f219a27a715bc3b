// Which job goes first? Priority, then age.
import type { WaitingJob } from '../world.ts';

export const inOrder = (jobs: readonly WaitingJob[]): readonly WaitingJob[] =>
  [...jobs].sort(
    (a, b) =>
      b.priority - a.priority ||
      a.createdMs - b.createdMs ||
      (a.uid < b.uid ? -1 : Number(a.uid > b.uid)),
  );
