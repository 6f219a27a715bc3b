// Do commands count a batch Job that was made smaller while it runs as its operator does?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobWhy } from '../../../../../src/cli/commands/job/why.ts';
import { queueStatus } from '../../../../../src/cli/commands/queue/status.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  jobObject,
  labelledJobObject,
  queueObject,
  readyStatus,
  waitingStatus,
} from '../../job-object.ts';
import { ran } from '../../ran.ts';

/** It was admitted with four pods, and has one. */
const elastic = labelledJobObject(
  {
    name: 'elastic',
    spec: { suspend: false, parallelism: 1 },
    status: { active: 1, ready: 1, conditions: [{ type: 'Suspended', status: 'False' }] },
  },
  {
    annotations: {
      'k8slab.info/grant': '2',
      'k8slab.info/admitted-queue': 'batch',
      'k8slab.info/admitted-pods': '4',
    },
  },
);

const cluster = new FakeCluster({
  swarmqueues: [queueObject({ spec: { quota: { pods: 4 } }, status: readyStatus })],
  swarmjobs: [jobObject({ status: waitingStatus })],
  jobs: [elastic],
  pods: [],
  resourcequotas: [],
  limitranges: [],
  events: [],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

describe('a batch Job that was made smaller while it runs', () => {
  it('queue status counts it as it was admitted', async () => {
    const { stdout } = await ran(queueStatus, 'batch', '--kubeconfig', cluster.kubeconfig);
    expect(stdout).toMatch(/^pods +4 +4 +0$/m);
  });

  it('job why says that another job waits', async () => {
    const { stdout } = await ran(jobWhy, 'lammps', '--kubeconfig', cluster.kubeconfig);
    expect(stdout).toContain('WaitingForQuota: needs 2 pods, 0 are free');
  });
});
