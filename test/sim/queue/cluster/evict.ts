// How does a pod of a job become disrupted, and then deleted?
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asRecord, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';

/** As a drain, a preemption or the loss of a node does. */
export function evict(server: ApiServer, pod: KubeObject, reason = 'EvictionByEvictionAPI'): void {
  const conditions = [
    ...asList(dig(pod, 'status', 'conditions')).filter(
      (it) => dig(it, 'type') !== 'DisruptionTarget',
    ),
    { type: 'DisruptionTarget', status: 'True', reason },
  ];
  const status = { ...asRecord(pod['status']), conditions };
  server.replace(kinds.Pod, { ...pod, status }, 'status');
  server.remove(kinds.Pod, pod.metadata, { uid: pod.metadata.uid ?? '' });
}
