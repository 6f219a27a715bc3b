// What is a batch Job told that names a queue in a namespace where there is none?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/api/objects.ts';
import { decideQueues } from '../../../src/queue/decide.ts';
import { queueController } from '../../support/queue-controller.ts';
import { carriedOut, NOW } from '../../support/queue-worlds.ts';

const jobOf = (over: { readonly labels?: object; readonly suspend?: boolean }): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'night',
    namespace: 'hpc',
    uid: 'run-night',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'k8slab.info/queue': 'batch', ...over.labels },
  },
  spec: { suspend: over.suspend ?? true },
});

it('a batch Job in a namespace without a queue has the reason QueueNotFound', async () => {
  const { controller, woken, tell, observe } = queueController(false);
  tell(jobOf({}));
  expect([...new Set(woken)]).toEqual(['hpc/(all)']);
  expect([...controller.keys()]).toEqual(['hpc/(all)']);
  const world = await observe();
  if (world === undefined) throw new Error('nobody looks at the namespace');
  const { steps } = decideQueues(carriedOut(world, decideQueues(world, NOW)), NOW);
  expect(steps).toMatchObject([
    {
      do: 'patch',
      body: {
        metadata: {
          annotations: { 'k8slab.info/waiting': expect.stringMatching('QueueNotFound') },
        },
      },
    },
    { do: 'event', event: { reason: 'QueueNotFound' } },
  ]);
});

it.each([
  ['runs', { suspend: false }],
  ['Kueue manages', { labels: { 'kueue.x-k8s.io/queue-name': 'other' } }],
])('nothing is written for a namespace whose only batch Job %s', async (_, over) => {
  const { controller, woken, tell, observe } = queueController(false);
  tell(jobOf(over));
  expect([...woken, ...controller.keys()]).toEqual([]);
  expect(await observe()).toBeUndefined();
});

it('a namespace is forgotten when its last labelled batch Job is gone', async () => {
  const { controller, tell, observe } = queueController(false);
  tell(jobOf({}));
  await observe();
  tell(jobOf({}), 'DELETED');
  expect(await observe()).toBeUndefined();
  expect([...controller.keys()]).toEqual([]);
});
