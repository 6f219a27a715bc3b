// Are the pods of a job read before something is concluded from those that the watch has not shown?
import { expect, it } from '@jest/globals';
import { apiVersionOf, kinds } from '../../../src/api/kinds.ts';
import { batchJob, entry, ledger, pod, swarmJob, Told } from '../../support/told-jobs.ts';

const made = batchJob();
const annotations = { 'k8slab.info/grant': '2', 'k8slab.info/attempt': '1' };
const running = {
  ...made,
  metadata: { ...made.metadata, annotations },
  spec: { suspend: false, completions: 1, parallelism: 1 },
};
const complete = {
  ...running,
  status: { completedIndexes: '0', conditions: [{ type: 'Complete', status: 'True' }] },
};

/** The batch Job ends after so many steps of the observation. */
async function observedWithEndAfter(steps: number) {
  const told = new Told();
  const ended = pod();
  await told.api.create(kinds.Pod, {
    ...ended,
    apiVersion: apiVersionOf(kinds.Pod),
    metadata: { ...ended.metadata, annotations: { 'k8slab.info/job-uid': 'sim-uid' } },
    status: { phase: 'Succeeded' },
  });
  told.tell('ADDED', ledger(entry('sim')));
  told.tell('ADDED', swarmJob('sim', { state: 'Starting', attempt: 1 }));
  told.tell('ADDED', running);
  const world = told.world();
  for (let step = 0; step < steps; step += 1) await Promise.resolve();
  told.tell('MODIFIED', complete);
  return world;
}

it('the pods of a job are read, whenever its batch Job ends while the job is observed', async () => {
  let ends = 0;
  for (let steps = 0; steps < 30; steps += 1) {
    const { batchJob: seen, pods } = await observedWithEndAfter(steps);
    if (seen?.end === undefined) continue;
    ends += 1;
    expect([steps, pods.map(({ hasSucceeded }) => hasSucceeded)]).toEqual([steps, [true]]);
  }
  expect(ends).toBeGreaterThan(3);
  expect(ends).toBeLessThan(30);
});
