// Which jobs does a real operator admit? It writes them into the ledger of their namespace.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { type LedgerContents, ledgerName } from '../../../src/api/ledger.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { orNothing } from '../../../src/runtime/client/errors.ts';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let namespace = '';
let next = 0;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--kinds', 'queues');
});

afterAll(() => swarm.stop());

beforeEach(async () => {
  next += 1;
  namespace = `queued-${next}`;
  await swarm.kubectl('create', 'namespace', namespace);
});

const queue = (quota: object, spec: object = {}) =>
  swarm.create(kinds.SwarmQueue, namespace, 'batch', { spec: { quota, ...spec } });
const job = (name: string, spec: object = {}) =>
  swarm.create(kinds.SwarmJob, namespace, name, {
    spec: { queueName: 'batch', image: 'example.org/sim', command: ['run'], ...spec },
  });

async function ledger(): Promise<LedgerContents | undefined> {
  const ref = { namespace: 'swarm-operator', name: ledgerName(namespace) };
  const found = await orNothing(swarm.api.get(kinds.ConfigMap, ref));
  const text = asString(dig(found, 'data', 'ledger.json'));
  return text === undefined ? undefined : JSON.parse(text);
}
const admitted = async (): Promise<readonly string[]> =>
  ((await ledger())?.entries ?? []).map(({ name }) => name).sort();
const statusOf = async () =>
  dig(await swarm.api.get(kinds.SwarmQueue, { namespace, name: 'batch' }), 'status');
const areAdmitted = (...names: readonly string[]) =>
  eventually(`${names.join(', ')} are admitted`, async () => `${await admitted()}` === `${names}`);

describe('the operator', () => {
  it('the operator admits as many jobs as the quota allows, and the queue says why others wait', async () => {
    await queue({ pods: '4' });
    await job('first', { size: 3 });
    await areAdmitted('first');
    await job('second', { size: 2 });
    await eventually('status says why', async () => dig(await statusOf(), 'pending') === 1);
    expect(await statusOf()).toMatchObject({
      running: 1,
      usage: { pods: '3' },
      waiting: [{ name: 'second', reason: 'WaitingForQuota', message: 'needs 2 pods, 1 is free' }],
    });
    await swarm.kubectl('-n', namespace, 'delete', 'swarmjob', 'first');
    await areAdmitted('second');
  });

  it('a queue that an annotation pauses shows it, and kubectl describe tells that it was paused and resumed', async () => {
    const kubectl = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
    const isPausedColumn = (column: string) =>
      eventually(`the column PAUSED is ${column}`, async () =>
        new RegExp(`^batch .* ${column} +\\w+$`, 'm').test(
          await kubectl('get', 'swq', '-o', 'wide'),
        ),
      );
    await queue({ pods: '1' });
    await isPausedColumn('False');
    await kubectl('annotate', 'swarmqueue/batch', 'k8slab.info/paused=true');
    await isPausedColumn('True');
    await job('later');
    await eventually('status says why', async () => dig(await statusOf(), 'pending') === 1);
    expect(await admitted()).toEqual([]);
    await kubectl('annotate', 'swarmqueue/batch', 'k8slab.info/paused-');
    await areAdmitted('later');
    await isPausedColumn('False');
    await eventually('the events are there', async () => {
      const text = await kubectl('describe', 'swarmqueue', 'batch');
      return /Normal +Paused .*annotation/.test(text) && /Normal +Resumed /.test(text);
    });
  });

  it('the operator admits jobs that were there before their queue', async () => {
    await job('early');
    await eventually('a ledger is there', async () => (await ledger()) !== undefined);
    expect(await admitted()).toEqual([]);
    await queue({ pods: '1' });
    await areAdmitted('early');
  });

  it('the operator counts the requests that a LimitRange gives to containers', async () => {
    await swarm.create(kinds.LimitRange, namespace, 'defaults', {
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '500m' } }] },
    });
    await queue({ cpu: '1' });
    for (const name of ['a', 'b', 'c']) await job(name);
    await areAdmitted('a', 'b');
    expect((await ledger())?.entries[0]?.requests).toEqual({ pods: '1', cpu: '500m' });
  });

  it('a job that waits for what other pods hold of a ResourceQuota holds up no other queue', async () => {
    await swarm.create(kinds.ResourceQuota, namespace, 'all', { spec: { hard: { pods: '4' } } });
    await eventually('the ResourceQuota is in force', async () => {
      const quota = await swarm.api.get(kinds.ResourceQuota, { namespace, name: 'all' });
      return dig(quota, 'status', 'used', 'pods') === '0';
    });
    for (const name of ['web-1', 'web-2'])
      await swarm.create(kinds.Pod, namespace, name, {
        spec: { containers: [{ name: 'web', image: 'example.org/web' }], nodeName: 'elsewhere' },
      });
    await queue({ pods: '9' });
    await swarm.create(kinds.SwarmQueue, namespace, 'other', { spec: { quota: { pods: '9' } } });
    await job('gang', { size: 3 });
    await eventually('the gang waits', async () => dig(await statusOf(), 'pending') === 1);
    expect(await statusOf()).toMatchObject({ waiting: [{ reason: 'ResourceQuotaLacks' }] });
    await job('small', { queueName: 'other' });
    await areAdmitted('small');
  });

  it('a job without a GPU does not pass one that waits for a GPU in a queue with StrictFIFO', async () => {
    const gpus = (count: number) => ({
      resources: { limits: { 'example.com/gpu': String(count) } },
    });
    await queue({ pods: '9', 'example.com/gpu': '2' }, { strategy: 'StrictFIFO' });
    await job('trains', gpus(2));
    await areAdmitted('trains');
    await job('waits', gpus(1));
    // Of one second: then the name decides.
    await job('without-gpu');
    await eventually('two wait', async () => dig(await statusOf(), 'pending') === 2);
    expect(await statusOf()).toMatchObject({
      waiting: [
        { name: 'waits', reason: 'WaitingForQuota' },
        { name: 'without-gpu', reason: 'BehindHead' },
      ],
    });
    await swarm.kubectl('-n', namespace, 'delete', 'swarmjob', 'trains');
    await areAdmitted('waits', 'without-gpu');
  });

  it('the operator counts the overhead of a RuntimeClass before a job has pods', async () => {
    // In no namespace: other tests see it.
    const name = 'overhead-of-queues';
    await swarm.api.create(kinds.RuntimeClass, {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name },
      handler: name,
      overhead: { podFixed: { cpu: '100m' } },
    } as KubeObject);
    try {
      const resources = { requests: { cpu: '500m' } };
      const heavy = { resources, template: { spec: { runtimeClassName: name } } };
      await queue({ cpu: '1' });
      await job('two', { ...heavy, size: 2 });
      await eventually('status says why', async () => dig(await statusOf(), 'pending') === 1);
      expect(await statusOf()).toMatchObject({
        waiting: [
          {
            name: 'two',
            reason: 'TooLargeEver',
            message: 'needs 1200m cpu, the whole quota of SwarmQueue batch is 1 cpu',
          },
        ],
      });
      await job('one', heavy);
      await areAdmitted('one');
      expect((await ledger())?.entries[0]?.requests).toEqual({ pods: '1', cpu: '600m' });
      await job('three', { resources });
      await eventually('both wait', async () => dig(await statusOf(), 'pending') === 2);
      expect(await statusOf()).toMatchObject({
        waiting: [
          { name: 'three', reason: 'WaitingForQuota', message: 'needs 500m cpu, 400m are free' },
          { name: 'two' },
        ],
      });
    } finally {
      await swarm.kubectl('delete', 'runtimeclass', name);
    }
  });

  it('the operator admits no gang of which a ResourceQuota would refuse a pod', async () => {
    await swarm.create(kinds.ResourceQuota, namespace, 'compute', {
      spec: { hard: { pods: '3' } },
    });
    await eventually('the quota is counted', async () => {
      const quota = await swarm.api.get(kinds.ResourceQuota, { namespace, name: 'compute' });
      return dig(quota, 'status', 'hard', 'pods') === '3';
    });
    await queue({ pods: '9' });
    await job('gang', { size: 4 });
    await job('pair', { size: 2 });
    await areAdmitted('pair');
    await eventually('status says why', async () => {
      const [first] = (dig(await statusOf(), 'waiting') as readonly unknown[] | undefined) ?? [];
      return dig(first, 'reason') === 'TooLargeEver';
    });
  });

  it('the operator deletes the ledger when queue and jobs are deleted', async () => {
    await queue({ pods: '1' });
    await job('only');
    await areAdmitted('only');
    await swarm.kubectl('-n', namespace, 'delete', 'swarmqueue,swarmjob', '--all');
    await eventually('the ledger is deleted', async () => (await ledger()) === undefined);
  });
});
