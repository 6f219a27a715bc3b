// What does a pod’s object say of the time before this node ran it, and how does the node write it?
import { kinds } from '../../../api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../api/objects.ts';
import { hasCode } from '../../../runtime/client/errors.ts';
import type { NodeContext } from '../context.ts';
import type { NodePod } from './pod-spec.ts';
import { isWritten, type PodOutcome } from './status.ts';

type NodeApi = NodeContext['nodeApi'];

/** Undefined: nothing was written, since nothing has changed or the pod is gone. */
export async function writeStatus(
  nodeApi: NodeApi,
  pod: NodePod,
  wanted: Record<string, unknown>,
): Promise<KubeObject | undefined> {
  if (isWritten(pod.object['status'], wanted)) return undefined;
  try {
    return await nodeApi.patchStatus(pod.ref, replacingAddresses(wanted));
  } catch (error) {
    // Deleted or replaced: the watch reports it.
    if (!hasCode(error, 'NotFound', 'Stale')) throw error;
    return undefined;
  }
}

/** Not a successor of the same name, which has another UID. */
export async function removeObject({ api }: NodeApi, { ref }: NodePod): Promise<void> {
  try {
    await api.delete(kinds.Pod, ref, { uid: ref.uid }, { gracePeriodSeconds: 0 });
  } catch (error) {
    if (!hasCode(error, 'NotFound', 'Conflict', 'Stale')) throw error;
  }
}

/** Lists of addresses are merged by address: a pod could keep those of a former node. */
function replacingAddresses(status: Record<string, unknown>): object {
  const lists = ['podIPs', 'hostIPs'].filter((field) => field in status);
  return {
    ...status,
    ...Object.fromEntries(
      lists.map((field) => [field, [...asList(status[field]), { $patch: 'replace' }]]),
    ),
  };
}

export function formerOutcome(object: KubeObject): PodOutcome | undefined {
  const phase = dig(object, 'status', 'phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const reason = asString(dig(object, 'status', 'reason'));
  const message = asString(dig(object, 'status', 'message'));
  return { phase, reason, message };
}

/** A container that ran on a former node of this name is restarted here. */
export function formerRestarts(object: KubeObject, container: string): number {
  const status = ['initContainerStatuses', 'containerStatuses']
    .flatMap((list) => asList(dig(object, 'status', list)))
    .find((entry) => dig(entry, 'name') === container);
  const restarts = asNumber(dig(status, 'restartCount')) ?? 0;
  return dig(status, 'containerID') ? restarts + 1 : restarts;
}

export function formerStart(object: KubeObject): number | undefined {
  return Date.parse(asString(dig(object, 'status', 'startTime')) ?? '') || undefined;
}
