// How is a pod's object changed by its node: what its status says, and its removal?
import { kinds } from '../../../api/kinds.ts';
import { asList, type KubeObject } from '../../../api/objects.ts';
import { hasCode } from '../../../runtime/client/errors.ts';
import type { NodeContext } from '../context.ts';
import type { NodePod } from './pod-spec.ts';
import { isSaid } from './status.ts';

type NodeApi = NodeContext['nodeApi'];

/**
 * Answers the object as it is then; nothing when there was nothing to say, or nobody to say it of.
 */
export async function writeStatus(
  nodeApi: NodeApi,
  pod: NodePod,
  wanted: Record<string, unknown>,
): Promise<KubeObject | undefined> {
  if (isSaid(pod.object['status'], wanted)) return undefined;
  try {
    return await nodeApi.patchStatus(pod.ref, replacingAddresses(wanted));
  } catch (error) {
    // Deleted or replaced: the watch tells what follows from that.
    if (!hasCode(error, 'NotFound', 'Stale')) throw error;
    return undefined;
  }
}

/** With its UID: a successor of the same name is none of our business. */
export async function removeObject({ api }: NodeApi, { ref }: NodePod): Promise<void> {
  try {
    await api.delete(kinds.Pod, ref, { uid: ref.uid }, { gracePeriodSeconds: 0 });
  } catch (error) {
    if (!hasCode(error, 'NotFound', 'Conflict', 'Stale')) throw error;
  }
}

/** Lists of addresses are merged by address; a pod that was taken over would be left with two. */
function replacingAddresses(status: Record<string, unknown>): object {
  const lists = ['podIPs', 'hostIPs'].filter((field) => field in status);
  return {
    ...status,
    ...Object.fromEntries(
      lists.map((field) => [field, [...asList(status[field]), { $patch: 'replace' }]]),
    ),
  };
}
