// How is a bar of replicas, or of the ranks of a job, divided?

/**
 * Ready: it is wanted and ready. Waiting: it is wanted, and not ready yet. Stuck: it should be
 * ready by now. Leaving: there are more than are wanted.
 * Done: a rank that has ended well.
 */
export type ReplicaState = 'ready' | 'waiting' | 'stuck' | 'leaving' | 'done';

/** One replica, or all of one state where there are too many to draw each. */
export type Segment = {
  readonly state: ReplicaState;
  /** Of the length of the bar, 0 to 1. */
  readonly part: number;
};

/** More are not drawn one by one. */
const MOST_DRAWN = 30;

/** `most`: as many as the longest of all bars has. */
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
