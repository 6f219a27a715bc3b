// How is a bar of replicas, or of the ranks of a job, divided?

/**
 * Ready: wanted and ready. Waiting: wanted, and not ready yet. Stuck: should be ready by now.
 * Leaving: more than are wanted. Done: a rank that has succeeded.
 */
export type ReplicaState = 'ready' | 'waiting' | 'stuck' | 'leaving' | 'done';

/** One replica, or all replicas of one state if there are too many to draw each. */
export type Segment = {
  readonly state: ReplicaState;
  /** The part of the bar's length, 0 to 1. */
  readonly part: number;
};

/** More replicas are not drawn one by one. */
const MOST_DRAWN = 30;

/** `most`: the number of replicas of the longest bar. */
export const segmentsFor = (
  counts: readonly (readonly [ReplicaState, number])[],
  most: number,
): readonly Segment[] =>
  counts.flatMap(([state, count]) =>
    most <= MOST_DRAWN
      ? Array.from({ length: count }, () => ({ state, part: 1 / most }))
      : count > 0
        ? [{ state, part: count / most }]
        : [],
  );
