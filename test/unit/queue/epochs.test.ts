// When do the queues of a namespace begin a new epoch of their ledger?
import { expect, it } from '@jest/globals';
import { queueController } from '../../support/queue-controller.ts';

const queueOf = (namespace: string) => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmQueue',
  metadata: { name: 'batch', namespace, uid: namespace, resourceVersion: '1', generation: 1 },
  spec: { quota: { pods: '1' } },
});

it('a namespace that could not be read for a while begins a new epoch, and no other does', async () => {
  const { controller, queuedJobs, tell } = queueController(false);
  for (const namespace of ['hpc', 'web']) tell(queueOf(namespace));
  const [hpc = '', web = ''] = [...controller.keys()];
  for (const key of [hpc, web, hpc]) await controller.observe(key, undefined);
  const epochs = (): readonly (string | undefined)[] =>
    ['hpc', 'web'].map((namespace) => queuedJobs.epochIn(namespace));
  expect(epochs()).toEqual(['leader-1', 'leader-2']);
  controller.forget?.(hpc);
  expect(epochs()).toEqual([undefined, 'leader-2']);
  await controller.observe(hpc, undefined);
  expect(epochs()).toEqual(['leader-3', 'leader-2']);
});
