// Does the overhead of a RuntimeClass count before a job has pods?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { poolMarks } from '../../../src/pool/controller.ts';
import { swarmQueueController } from '../../../src/queue/controller.ts';
import { decideQueues } from '../../../src/queue/decide.ts';
import { makeStore } from '../../../src/runtime/store/store.ts';
import type { Subscription } from '../../../src/runtime/watch/subscriptions.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { atRest, NOW } from '../../support/queue-worlds.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const own = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind,
  metadata: {
    name,
    namespace: 'hpc',
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec,
});

const runtimeClass = (cpu: string | undefined): KubeObject => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'kata', uid: 'uid-kata', resourceVersion: '2' },
  handler: 'kata',
  ...(cpu !== undefined && { overhead: { podFixed: { cpu } } }),
});

const job = own('SwarmJob', 'sim', {
  queueName: 'batch',
  image: 'busybox',
  command: ['true'],
  resources: { requests: { cpu: '1' } },
  template: { spec: { runtimeClassName: 'kata' } },
});

function setUp(isClusterWide: boolean) {
  const clock = new VirtualClock();
  const { batchJobs, configMaps } = makeStore(new MemoryApi(clock), poolMarks);
  const controller = swarmQueueController({
    ...{ clock, batchJobs, configMaps, isClusterWide, ledgerNamespace: 'swarm' },
    isWatched: () => true,
    newEpoch: () => 'leader-1',
    onVerdict: () => undefined,
  });
  const woken: string[] = [];
  const subscriptions = controller.subscriptions((key) => woken.push(key));
  const tell = (object: KubeObject, type: 'ADDED' | 'DELETED' = 'ADDED'): void => {
    for (const { kind, slim, onChange } of subscriptions)
      if (kind.kind === object.kind) onChange({ type, object: slim?.(object) ?? object });
  };
  const waits = async () => {
    const world = await controller.observe('hpc/(all)', undefined);
    if (world === undefined) throw new Error('there is no such namespace');
    const { verdicts, desired } = decideQueues(atRest(world), NOW);
    const { reason, message } = verdicts?.get('uid-sim') ?? {};
    return { reason, message, admitted: desired?.ledger.entries.map(({ requests }) => requests) };
  };
  tell(own('SwarmQueue', 'batch', { quota: { cpu: '1' } }));
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

it('an operator of a few namespaces does not ask for RuntimeClasses', () => {
  expect(ofRuntimeClasses(setUp(false).subscriptions)).toEqual([]);
});

it('queues work without the right to read RuntimeClasses', () => {
  expect(ofRuntimeClasses(setUp(true).subscriptions)).toMatchObject([{ isOptional: true }]);
});
