// Pods are preempted and evicted: they have a grace period, and count until it has ended.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { JobCell } from '../job-cell.ts';
import { type JobFault, one } from '../job-faults.ts';
import { endsAfterTwoDisturbances, holdsQuota } from './held.ts';

/** Told to end, it ends when the test allows it, and then with a code of its own. */
const SCRIPT =
  'trap \'while [ ! -e "$1" ]; do sleep 0.1; done; exit 3\' TERM; while [ ! -e "$0" ]; do sleep 0.1; done';

export const preempted: JobFault = {
  replicas: one,
  quota: 2,
  inject: async (cell) => {
    const mayLeave = path.join(cell.folder, 'may-leave');
    const command = ['sh', '-c', SCRIPT, cell.endOf('first'), mayLeave];
    await cell.submit('first', { command, backoffSeconds: 3_600 });
    await cell.until('first', 'Running');
    await cell.submit('second');
    await holdsQuota(cell, 'first', await disturb(cell, evict), 'second');
    writeFileSync(mayLeave, '');
    await cell.until('second', 'Running');
    await cell.until('first', 'Waiting', 'BackingOff');
    await cell.mustHave('first', 1, 1);
    rmSync(mayLeave);
    await cell.finish('second');

    await cell.patch('swarmjob/first', { spec: { backoffSeconds: 1 } });
    await cell.until('first', 'Running');
    await cell.submit('third');
    await holdsQuota(cell, 'first', await disturb(cell, preempt), 'third');
    writeFileSync(mayLeave, '');
  },
  settle: endsAfterTwoDisturbances,
};

type Disturbance = (cell: JobCell, pod: string) => Promise<unknown>;

/** One of its two pods. */
async function disturb(cell: JobCell, how: Disturbance): Promise<KubeObject> {
  const [pod] = (await cell.podsOf('first')).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  if (pod === undefined) throw new Error('it has no pod');
  await how(cell, pod.metadata.name);
  return pod;
}

/** As `kubectl drain` does. */
function evict({ swarm, namespace }: JobCell, name: string): Promise<unknown> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  const url = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  return swarm.kubectl('create', '--raw', url, '-f', swarm.file(eviction));
}

/** As kube-scheduler does, for a pod that is more important. */
async function preempt(cell: JobCell, name: string): Promise<unknown> {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  };
  const patch = JSON.stringify({ status: { conditions: [condition] } });
  await cell.kubectl('patch', 'pod', name, '--subresource=status', '-p', patch);
  return cell.swarm.api.delete(kinds.Pod, { namespace: cell.namespace, name });
}
