// Which job goes first? The one with the higher priority, then the older one; of the same second,
// the one with the smaller name.
import type { WaitingJob } from '../world.ts';

export const inOrder = (jobs: readonly WaitingJob[]): readonly WaitingJob[] =>
  [...jobs].sort(byTurn);

export const goesBefore = (a: WaitingJob, b: WaitingJob): boolean => byTurn(a, b) < 0;

const byTurn = (a: WaitingJob, b: WaitingJob): number =>
  b.priority - a.priority ||
  a.createdMs - b.createdMs ||
  (a.name < b.name ? -1 : Number(a.name > b.name));
