// Batch Jobs with the label of a queue, for tests: how they are, and what is written to them.
import type { BatchJob } from '../../src/api/batch-job.ts';
import { decideQueues } from '../../src/queue/decide.ts';
import type { QueueWorld } from '../../src/queue/world.ts';
import { NOW, runOf } from './queue-worlds.ts';

/** A batch Job that waits by its label. */
export const plain = (over: Partial<BatchJob> = {}): BatchJob =>
  runOf('night', {
    ...{ swarmJobUid: undefined, grant: undefined, isSuspended: true, active: 0, ready: 0 },
    podSpec: { containers: [{ resources: { requests: { cpu: '2' } } }] },
    ...over,
  });
/** What is patched. */
export const starts = (world: QueueWorld) =>
  decideQueues(world, NOW).steps.flatMap((step) => (step.do === 'patch' ? [step.body] : []));
/** What is patched when it is started. */
export const startedWith = (pods: number) => ({
  metadata: {
    annotations: {
      'k8slab.info/grant': '2',
      'k8slab.info/admitted-queue': 'batch',
      'k8slab.info/admitted-pods': String(pods),
    },
  },
  spec: { suspend: false, podReplacementPolicy: 'Failed' },
});
