// Which members may change their size now? With Together all. With Staged a member grows when those
// of lower stages are ready, and shrinks when those of higher stages are: dependencies start first
// and stop last.
import type { SwarmGroupSpec } from '../../api/validate.ts';

type InOrder = {
  readonly stage: number;
  readonly replicas: number;
  readonly target: number;
  /** Nothing waits for it: it is settled, or given up. */
  readonly isDone: boolean;
};

/**
 * Does not depend on the direction of the group: after a change in mid-transition some members grow
 * and others shrink. A lower one that is still to shrink has enough for those above it, so that two
 * never wait for each other.
 */
export function hasTurn(
  order: SwarmGroupSpec['transition']['order'],
  members: readonly InOrder[],
): (member: InOrder) => boolean {
  if (order === 'Together') return () => true;
  const open = members.filter(({ isDone }) => !isDone);
  const upTo = Math.min(...open.filter((it) => it.replicas <= it.target).map(({ stage }) => stage));
  const downTo = Math.max(
    ...open.filter((it) => it.replicas >= it.target).map(({ stage }) => stage),
  );
  return ({ stage, replicas, target }) =>
    (replicas > target || stage <= upTo) && (replicas < target || stage >= downTo);
}
