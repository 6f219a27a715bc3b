// A node is lost while a gang has one of its two ranks there: its pod stays, and the job's quota
// with it, until the pod has ended for certain.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import { hasEnded } from '../../../support/pod-witness.ts';
import type { JobCell } from '../job-cell.ts';
import { type JobFault, one } from '../job-faults.ts';
import { endsAfterTwoDisturbances, holdsQuota } from './held.ts';

const NODE = 'node-lost';
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
/** So long the job waits after a failure: others run before it. */
const NEVER = 3_600;
const TAINT = 'faults.k8slab.info/lost';

/** Of a gang of two, one rank has room on the node; it is evicted a second after the loss. */
const template = {
  spec: {
    tolerations: [
      { key: TAINT, operator: 'Exists' },
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 1,
      },
    ],
  },
};

export const lostNode: JobFault = {
  replicas: one,
  quota: 2,
  inject: async (cell) => {
    const node = await startNode(cell);
    await cell.submit('first', { template, backoffSeconds: NEVER });
    await cell.until('first', 'Running');
    await cell.submit('second');
    await lose(cell, node);
    await holdsQuota(cell, 'first', await evictedPod(cell), 'second');
    node.reconnect();
    await cell.until('second', 'Running');
    await cell.until('first', 'Waiting', 'BackingOff');
    await cell.mustHave('first', 1, 1);
    await cell.finish('second');

    await cell.patch('swarmjob/first', { spec: { backoffSeconds: 1 } });
    await cell.until('first', 'Running');
    await cell.mustHave('first', 2, 1);
    await cell.submit('third');
    await lose(cell, node);
    const pod = await evictedPod(cell);
    await cell.kubectl('delete', 'pod', pod.metadata.name, '--force', '--wait=false');
    await holdsQuota(cell, 'first', pod, 'third');
    // Only this says that nothing runs there any more.
    await cell.swarm.kubectl('taint', 'node', NODE, `${OUT_OF_SERVICE}=nodeshutdown:NoExecute`);
    await cell.eventually('the pod is gone', async () => {
      return (await cell.object(kinds.Pod, pod.metadata.name)) === undefined;
    });
  },
  settle: endsAfterTwoDisturbances,
};

/** No other cell's pods come there. */
async function startNode(cell: JobCell): Promise<PlaygroundNode> {
  const { api, playground } = cell.swarm;
  const { kubeconfig, nodeClient: client } = playground.plane;
  await api.create(kinds.Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NODE },
    spec: { taints: [{ key: TAINT, effect: 'NoSchedule' }] },
  });
  cell.atEnd(() => api.delete(kinds.Node, { name: NODE }).catch(() => undefined));
  const { guard } = playground;
  const node = await PlaygroundNode.start({ kubeconfig, client, name: NODE, guard, maxPods: 1 });
  cell.atEnd(async () => {
    node.reconnect();
    await node.stop({ graceSeconds: 1 });
  });
  return node;
}

/** Its controller is not asked to wait until the node has been silent for long enough. */
async function lose({ swarm }: JobCell, node: PlaygroundNode): Promise<void> {
  node.disconnect();
  const ready = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
  };
  const patch = JSON.stringify({ status: { conditions: [ready] } });
  await swarm.kubectl('patch', 'node', NODE, '--subresource=status', '-p', patch);
}

async function evictedPod(cell: JobCell): Promise<KubeObject> {
  let found: KubeObject | undefined;
  await cell.eventually('a pod is evicted from the lost node', async () => {
    found = (await cell.pods()).find(
      (pod) =>
        dig(pod, 'spec', 'nodeName') === NODE &&
        pod.metadata.deletionTimestamp !== undefined &&
        !hasEnded(pod) &&
        asList(dig(pod, 'status', 'conditions')).some(
          (it) => dig(it, 'type') === 'DisruptionTarget',
        ),
    );
    return found !== undefined;
  });
  if (found === undefined) throw new Error('no pod is evicted');
  return found;
}
