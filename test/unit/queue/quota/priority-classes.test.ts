// Does a ResourceQuota with a PriorityClass scope count pods that get the global default?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { queueController } from '../../../support/queue-controller.ts';
import { atRest, NOW, ownObject } from '../../../support/queue-worlds.ts';

const priorityClass = (name: string, value: number, globalDefault?: boolean): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name, uid: `uid-${name}`, resourceVersion: '2' },
  value,
  ...(globalDefault !== undefined && { globalDefault }),
});

const hard = { pods: '1' };
const quota: KubeObject = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'normal', namespace: 'hpc', uid: 'uid-quota', resourceVersion: '2' },
  spec: {
    hard,
    scopeSelector: {
      matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['normal'] }],
    },
  },
  status: { hard, used: { pods: '0' } },
};

function setUp(isClusterWide: boolean) {
  const { subscriptions, woken, tell, observe } = queueController(isClusterWide);
  const spec = { queueName: 'batch', image: 'busybox', command: ['true'], size: 2 };
  tell(ownObject('SwarmQueue', 'batch', { quota: { pods: '9' } }));
  tell(ownObject('SwarmJob', 'sim', spec));
  tell(quota);
  const reason = async () => {
    const world = await observe();
    if (world === undefined) throw new Error('there is no such namespace');
    return decideQueues(atRest(world), NOW).verdicts?.get('uid-sim')?.reason;
  };
  woken.length = 0;
  return { subscriptions, tell, reason, woken };
}

it('pods without a PriorityClass count in the scope of the global default, as long as it is one', async () => {
  const { tell, reason, woken } = setUp(true);
  expect(await reason()).toBeUndefined();
  tell(priorityClass('normal', 100));
  expect(woken).toEqual([]);
  tell(priorityClass('normal', 100, true));
  expect(woken).toEqual(['hpc/(all)']);
  expect(await reason()).toBe('TooLargeEver');
  tell(priorityClass('normal', 100, false));
  expect(await reason()).toBeUndefined();
  tell(priorityClass('normal', 100, true));
  tell(priorityClass('normal', 100, true), 'DELETED');
  expect(await reason()).toBeUndefined();
});

it('of two global defaults the one with the lower value counts, as for the API server', async () => {
  const { tell, reason } = setUp(true);
  tell(priorityClass('normal', 100, true));
  tell(priorityClass('low', 10, true));
  expect(await reason()).toBeUndefined();
  tell(priorityClass('low', 10, true), 'DELETED');
  expect(await reason()).toBe('TooLargeEver');
});

it('only an operator of the whole cluster reads PriorityClasses, and it works without the right', () => {
  const ofPriorityClasses = (isClusterWide: boolean) =>
    setUp(isClusterWide).subscriptions.filter(({ kind }) => kind === kinds.PriorityClass);
  expect(ofPriorityClasses(false)).toEqual([]);
  expect(ofPriorityClasses(true)).toMatchObject([{ isOptional: true }]);
});
