// How a pod is to end.

/** As in a kubelet, also for a pod that is deleted by force. */
export const MIN_GRACE_SECONDS = 1;

export type PodTermination = {
  readonly graceSeconds: number;
  /** The object is gone: nothing is reported. */
  readonly isRemoved?: boolean;
  /** The node stops: what cannot be reported now is not tried again. */
  readonly isNodeStopping?: boolean;
};

/** The shortest grace period of several counts. */
export const combined = (
  before: PodTermination | undefined,
  next: PodTermination,
): PodTermination => ({
  ...before,
  ...next,
  graceSeconds: Math.min(next.graceSeconds, before?.graceSeconds ?? next.graceSeconds),
});
