// For how long has the status of a queue been as it is? Its figures are written at a pace.
import { expect, it } from '@jest/globals';
import { QueueCaches } from '../../../src/queue/observe/caches.ts';
import { observeQueues } from '../../../src/queue/observe.ts';
import { nothingRemembered } from '../../../src/queue/world.ts';
import { BatchJobs } from '../../../src/runtime/store/batch-jobs.ts';

it.each([
  ['its pods that are held', { held: [{ name: 'sim', pods: 2, message: 'pod x has not ended' }] }],
  ['the jobs that wait', { waiting: [{ name: 'sim', reason: 'BehindHead', message: '' }] }],
  ['its usage', { usage: { pods: '3' } }],
])('the age of a status restarts when %s changes', (_, change) => {
  const caches = new QueueCaches();
  let monotonic = 0;
  let remembered = nothingRemembered;
  let version = 0;
  const ageAfter = (ms: number, status: object): number | undefined => {
    version += 1;
    monotonic += ms;
    const metadata = { name: 'batch', namespace: 'hpc', uid: 'q', resourceVersion: `${version}` };
    caches.queues.apply({
      type: 'MODIFIED',
      object: {
        apiVersion: 'k8slab.info/v1alpha1',
        kind: 'SwarmQueue',
        metadata,
        spec: { quota: { pods: '4' } },
        status,
      },
    });
    const world = observeQueues(
      { clock: { monotonic: () => monotonic }, batchJobs: new BatchJobs(), caches },
      'hpc',
      {
        epoch: 'a',
        ledgerRef: { namespace: 'swarm-operator', name: 'swarm-ledger-hpc' },
        ledger: undefined,
        isOutdated: false,
        remembered,
        refused: undefined,
      },
    );
    ({ remembered } = world);
    return world.statusMs.get('batch');
  };
  const status = { pending: 1, running: 1, usage: { pods: '2' } };
  expect(ageAfter(1_000, status)).toBe(0);
  expect(ageAfter(5_000, status)).toBe(5_000);
  expect(ageAfter(1_000, { ...status, ...change })).toBe(0);
});
