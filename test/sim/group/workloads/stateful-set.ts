// What does the StatefulSet controller do next? Pods come in order, each when those before it are
// Ready, go from the last one, and are replaced from the last one; with Parallel they come and go
// at once. As in pkg/controller/statefulset.
import { isPodReady, readyAmong, type Seen, type SimPod, startPod } from './pod.ts';

export type StatefulSetState = {
  /** By ordinal; a missing one was lost. */
  readonly pods: readonly (SimPod | undefined)[];
  /** Of the rollout before, until this one is through. */
  readonly currentRevision: string | undefined;
};

export const noStatefulSet: StatefulSetState = { pods: [], currentRevision: undefined };

const present = ({ pods }: StatefulSetState): readonly SimPod[] =>
  pods.filter((pod) => pod !== undefined);

/** One round of the controller. */
export function stepStatefulSet(
  state: StatefulSetState,
  seen: Seen,
  isParallel: boolean,
): StatefulSetState {
  const { nowMs, replicas, revision } = seen;
  const pods = [...state.pods];
  const isDone = (pod: SimPod | undefined): boolean => pod !== undefined && isPodReady(pod, nowMs);
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const pod = pods[ordinal];
    // A user deletes the pod of a broken template, once the template is mended: the controller
    // would wait for it for ever.
    const isStuck = pod?.readyAtMs === Number.POSITIVE_INFINITY;
    const isObsolete = isStuck && pod.revision !== revision && pod.isPending !== true;
    if (pod === undefined || isObsolete) pods[ordinal] = startPod(seen);
    if (!isParallel && !isDone(pods[ordinal])) return { ...state, pods };
  }
  if (pods.length > replicas) {
    const kept = isParallel ? replicas : pods.length - 1;
    return { ...state, pods: pods.slice(0, kept) };
  }
  const outdated = pods.findLastIndex((pod) => pod?.revision !== revision);
  if (outdated >= 0) {
    const isWaiting = pods.slice(outdated + 1).some((pod) => !isDone(pod));
    if (!isWaiting) pods[outdated] = startPod(seen);
    return { ...state, pods };
  }
  return { pods, currentRevision: pods.every(isDone) ? revision : state.currentRevision };
}

export function statefulSetStatus(state: StatefulSetState, { revision, nowMs }: Seen): object {
  const pods = present(state);
  const ready = readyAmong(pods, nowMs);
  const ofRevision = (wanted: string): number =>
    pods.filter((pod) => pod.revision === wanted).length;
  const { currentRevision = revision } = state;
  return {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: ofRevision(revision),
    currentReplicas: ofRevision(currentRevision),
    currentRevision,
    updateRevision: revision,
  };
}
