// Does the overhead of a RuntimeClass count before a job has pods?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { Subscription } from '../../../../src/runtime/watch/subscriptions.ts';
import { queueController } from '../../../support/queue-controller.ts';
import { atRest, NOW, ownObject } from '../../../support/queue-worlds.ts';

const runtimeClass = (cpu: string | undefined): KubeObject => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata', uid: 'uid-kata', resourceVersion: '2' },
  handler: 'kata',
  ...(cpu !== undefined && { overhead: { podFixed: { cpu } } }),
});

const job = ownObject('SwarmJob', 'sim', {
  queueName: 'batch',
  image: 'busybox',
  command: ['true'],
  resources: { requests: { cpu: '1' } },
  template: { spec: { runtimeClassName: 'kata' } },
});

function setUp(isClusterWide: boolean) {
  const { subscriptions, woken, tell, observe } = queueController(isClusterWide);
  const waits = async () => {
    const world = await observe();
    if (world === undefined) throw new Error('there is no such namespace');
    const { verdicts, desired } = decideQueues(atRest(world), NOW);
    const { reason, message } = verdicts?.get('uid-sim') ?? {};
    return { reason, message, admitted: desired?.ledger.entries.map(({ requests }) => requests) };
  };
  tell(ownObject('SwarmQueue', 'batch', { quota: { cpu: '1' } }));
  tell(job);
  woken.length = 0;
  return { subscriptions, tell, waits, woken };
}

it('the overhead of a RuntimeClass counts as soon as it is known, and no longer than it exists', async () => {
  const { tell, waits, woken } = setUp(true);
  const fits = { admitted: [{ pods: '1', cpu: '1' }] };
  expect(await waits()).toMatchObject(fits);
  tell(runtimeClass('100m'));
  expect(woken).toEqual(['hpc/(all)']);
  expect(await waits()).toEqual({
    reason: 'TooLargeEver',
    message: 'needs 1100m cpu, the whole quota of SwarmQueue batch is 1 cpu',
    admitted: [],
  });
  tell(runtimeClass(undefined));
  expect(await waits()).toMatchObject(fits);
  tell(runtimeClass('100m'));
  tell(runtimeClass('100m'), 'DELETED');
  expect(await waits()).toMatchObject(fits);
});

const ofRuntimeClasses = (subscriptions: readonly Subscription[]): readonly Subscription[] =>
  subscriptions.filter(({ kind }) => kind === kinds.RuntimeClass);

it('an operator of a few namespaces does not read RuntimeClasses', () => {
  expect(ofRuntimeClasses(setUp(false).subscriptions)).toEqual([]);
});

it('queues work without the right to read RuntimeClasses', () => {
  expect(ofRuntimeClasses(setUp(true).subscriptions)).toMatchObject([{ isOptional: true }]);
});
