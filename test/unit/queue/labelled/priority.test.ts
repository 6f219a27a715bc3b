// Which priority has a Job that joined a queue by its label?
import { describe, expect, it } from '@jest/globals';
import { slimBatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { plain } from '../../../support/labelled-jobs.ts';
import { atRest, NOW, queueOf, worldOf } from '../../../support/queue-worlds.ts';

const queues = [queueOf({ pods: '1' }, { maxPriority: 10, jobDefaults: { priority: 2 } })];

/** After the ledger is made. */
const waiting = (...priorities: readonly (string | undefined)[]): QueueWorld => {
  const world = atRest(worldOf({ queues: [queueOf({ pods: '0' })], runs: [plain()] }));
  const runs = priorities.map((priority, index) =>
    plain({ name: `job-${index}`, uid: `run-${index}`, priority }),
  );
  return { ...world, queues, runs };
};

const passOf = (world: QueueWorld) => {
  const pass = decideQueues(world, NOW).desired?.pass;
  if (pass === undefined) throw new Error('nothing is decided');
  return pass;
};

describe('the annotation k8slab.info/priority of a batch Job', () => {
  it('the Job with the highest priority goes first, and a Job without the annotation has the default of its queue', () => {
    const { order } = passOf(waiting(' 1', undefined, '10', '-3'));
    expect(order.map(({ priority }) => priority)).toEqual([10, 2, 1, -3]);
  });

  it('a Job with a priority above the maximum of its queue waits with a reason', () => {
    expect([...passOf(waiting('11')).waiting.values()]).toEqual([
      { reason: 'PriorityTooHigh', message: 'priority is 11, SwarmQueue batch allows at most 10' },
    ]);
  });

  it.each(['high', '', '1.5', '1e3', '1000001', '-1000001', '01234567'])(
    'a Job with the priority "%s" waits, and the reason names the allowed values',
    (priority) =>
      expect([...passOf(waiting(priority)).waiting.values()]).toEqual([
        {
          reason: 'InvalidPriority',
          message: `annotation k8slab.info/priority is "${priority}"; a whole number from -1000000 to 1000000 is allowed`,
        },
      ]),
  );

  it('the annotation with the priority is kept in memory', () => {
    const annotations = { 'k8slab.info/priority': '7', other: 'x' };
    const metadata = { name: 'night', namespace: 'hpc', annotations };
    const slim = slimBatchJob({ apiVersion: 'batch/v1', kind: 'Job', metadata });
    expect(slim.metadata.annotations).toEqual({ 'k8slab.info/priority': '7' });
  });
});
