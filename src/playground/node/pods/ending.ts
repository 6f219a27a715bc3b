// How is a pod to end?

/** Deleted by force, a pod still gets this much from a kubelet. */
export const LEAST_GRACE_SECONDS = 1;

/**
 * `isForgotten`: the object is gone, nothing is left to report. `isLastWord`: the node goes, there
 * is no second attempt.
 */
export type PodEnding = {
  readonly graceSeconds: number;
  readonly isForgotten: boolean;
  readonly isLastWord: boolean;
};

/** Asked more than once, the shortest time counts, and what was said once stays said. */
export const both = (before: PodEnding | undefined, asked: PodEnding): PodEnding => ({
  graceSeconds: Math.min(asked.graceSeconds, before?.graceSeconds ?? asked.graceSeconds),
  isForgotten: asked.isForgotten || before?.isForgotten === true,
  isLastWord: asked.isLastWord || before?.isLastWord === true,
});
