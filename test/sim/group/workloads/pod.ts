// What is a pod of a plain workload? Not an object of its own: its revision, and when it is Ready.

export type SimPod = {
  readonly revision: string;
  /** By the clock; Infinity: its image is not there. */
  readonly readyAtMs: number;
  /** It waits for a place on a node. */
  readonly isPending?: true;
};

/** What a controller sees when it looks after one workload. */
export type Seen = {
  readonly nowMs: number;
  /** That its spec asks for. */
  readonly replicas: number;
  /** Tells its templates apart. */
  readonly revision: string;
  readonly isImageThere: boolean;
  /** When a pod that is started now is Ready; undefined: it finds no place. */
  readonly startsUntilMs: () => number | undefined;
};

export const isPodReady = (pod: SimPod, nowMs: number): boolean => pod.readyAtMs <= nowMs;

export const readyAmong = (pods: readonly SimPod[], nowMs: number): number =>
  pods.filter((pod) => isPodReady(pod, nowMs)).length;

const NEVER = { readyAtMs: Number.POSITIVE_INFINITY } as const;

export function startPod({ revision, isImageThere, startsUntilMs }: Seen): SimPod {
  const readyAtMs = startsUntilMs();
  if (readyAtMs === undefined) return { revision, ...NEVER, isPending: true };
  return { revision, ...(isImageThere ? { readyAtMs } : NEVER) };
}
