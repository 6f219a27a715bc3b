// Are the pods of a job, and its batch Job, read before something is concluded from what the watch
// has not shown?
import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, kinds } from '../../../src/api/kinds.ts';
import { nothingRemembered } from '../../../src/job/world.ts';
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

describe('a running job without a batch Job', () => {
  const starting = swarmJob('sim', { state: 'Starting', attempt: 1 });

  it('its batch Job was deleted, if the API server has none of this job', async () => {
    const told = new Told();
    const foreign = batchJob('another-uid');
    await told.api.create(kinds.Job, { ...foreign, apiVersion: apiVersionOf(kinds.Job) });
    told.tell('ADDED', ledger(entry('sim')));
    told.tell('ADDED', starting);
    expect(await told.world()).toMatchObject({ isUnreported: false });
  });

  it('the watch has not reported its batch Job, whenever it reports the status', async () => {
    let unreported = 0;
    for (let steps = 0; steps < 30; steps += 1) {
      const told = new Told();
      await told.api.create(kinds.Job, { ...running, apiVersion: apiVersionOf(kinds.Job) });
      told.tell('ADDED', ledger(entry('sim')));
      told.tell('ADDED', swarmJob('sim'));
      // Its creation was refused: the batch Job is there already.
      const remembered = { ...nothingRemembered, madeUnder: 2 };
      told.controller.follow?.('hpc/sim', { steps: [], lacking: [], remembered });
      const world = told.world();
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      told.tell('MODIFIED', starting);
      const { job, isUnreported } = await world;
      if (job.status === undefined) continue;
      unreported += 1;
      expect([steps, isUnreported]).toEqual([steps, true]);
    }
    expect(unreported).toBeGreaterThan(3);
    expect(unreported).toBeLessThan(30);
  });
});
