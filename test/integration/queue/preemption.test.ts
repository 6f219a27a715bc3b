// What do users see when an urgent job takes the place of others? With real processes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, dig } from '../../../src/api/objects.ts';
import { conditionIn } from '../../../src/core/conditions.ts';
import { eventually } from '../../support/processes.ts';
import { swarmctlOn } from '../cli/swarmctl.ts';
import { makeJob } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'swarm-preemption-'));
let swarm: Swarm;
let namespace = '';
let next = 0;

beforeAll(async () => {
  swarm = await Swarm.start({ nodes: 1 });
  await swarm.operator('--kinds', 'queues,jobs');
});

afterAll(async () => {
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  next += 1;
  namespace = `urgent-${next}`;
  await swarm.kubectl('create', 'namespace', namespace);
  await swarm.create(kinds.SwarmQueue, namespace, 'batch', {
    spec: {
      quota: { pods: '2' },
      maxPriority: 100,
      preemption: { withinQueue: 'LowerPriority' },
    },
  });
});

const template = { spec: { terminationGracePeriodSeconds: 20 } };
/** It takes two seconds to end. */
const SLOW = "trap 'sleep 2; exit 0' TERM; sleep 300 & wait";
const job = (name: string, script: string, spec: object = {}) =>
  makeJob(swarm, namespace, name, { command: ['sh', '-c', script], template, ...spec });
const kubectl = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
const waitingIn = async () => {
  const queue = await swarm.api.get(kinds.SwarmQueue, { namespace, name: 'batch' });
  return asList(dig(queue, 'status', 'waiting'));
};

describe('an urgent job', () => {
  it('takes the place of the youngest job, which ends with its grace, and runs again afterwards', async () => {
    const old = await job('old', SLOW);
    await old.is('Running');
    const young = await job('young', SLOW);
    await young.is('Running');
    const urgent = await job('urgent', 'sleep 1', { priority: 50 });
    await eventually('the queue says who ends for it', async () =>
      JSON.stringify(await waitingIn()).includes('job young of lower priority ends'),
    );
    expect(await urgent.finishes()).toMatchObject({ state: 'Succeeded', attempt: 1 });
    const again = await young.is('Running');
    expect(again).toMatchObject({ attempt: 2 });
    expect(again.failures).toBeUndefined();
    const told = (again.history ?? []).find(({ reason }) => reason === 'Preempted');
    expect(told?.message).toMatch(/^job urgent of priority 50 takes its place/);
    expect(await old.is('Running')).toMatchObject({ attempt: 1 });
    await eventually('an event says it, too', async () =>
      /Preempted .*job urgent of priority 50 takes its place/.test(
        await kubectl('describe', 'swarmjob', 'young'),
      ),
    );
  });

  it('lets a job wait, with a condition, until the urgent one has ended', async () => {
    const gang = await job('gang', SLOW, { size: 2 });
    await gang.is('Running');
    await job('urgent', 'sleep 300', { priority: 50 });
    const status = await gang.is('Waiting');
    expect(conditionIn(status.conditions, 'Preempted')).toMatchObject({
      status: 'True',
      message: 'job urgent of priority 50 takes its place',
    });
    await kubectl('delete', 'swarmjob', 'urgent');
    const again = await gang.is('Running');
    expect(conditionIn(again.conditions, 'Preempted')).toMatchObject({ status: 'False' });
  });

  it('takes the place of a labelled batch Job, which waits again with its age', async () => {
    const labels = { 'k8slab.info/queue': 'batch' };
    const main = { name: 'main', image: 'busybox', command: ['sh', '-c', SLOW] };
    await swarm.create(kinds.Job, namespace, 'nightly', {
      metadata: { labels },
      spec: {
        suspend: true,
        parallelism: 2,
        template: { spec: { ...template.spec, restartPolicy: 'Never', containers: [main] } },
      },
    });
    const runs = (pods: number) =>
      eventually(`${pods} pods run`, async () => {
        const found = await swarm.api.get(kinds.Job, { namespace, name: 'nightly' });
        return dig(found, 'status', 'ready') === pods;
      });
    await runs(2);
    const urgent = await job('urgent', 'sleep 1', { priority: 50 });
    await eventually('an event names the urgent job', async () =>
      /Preempted .*job urgent of priority 50/.test(await kubectl('describe', 'job', 'nightly')),
    );
    expect(await urgent.finishes()).toMatchObject({ state: 'Succeeded' });
    await runs(2);
  });

  it('queue plan names the jobs whose place it would take, and ends none', async () => {
    const low = await job('low', 'sleep 300', { size: 2 });
    await low.is('Running');
    const file = path.join(folder, 'later.yaml');
    const spec = 'spec: { queueName: batch, image: busybox, command: ["true"], priority: 50 }';
    const head = 'apiVersion: k8slab.info/v1alpha1\nkind: SwarmJob\n';
    writeFileSync(file, `${head}metadata: { name: later }\n${spec}\n`);
    const swarmctl = swarmctlOn(swarm.playground.plane.kubeconfig);
    const plan = await swarmctl('queue', 'plan', '-f', file, '--namespace', namespace);
    expect(plan.stdout).toContain('MakingRoom: job low of lower priority ends to make room for it');
    expect(await low.is('Running')).toMatchObject({ attempt: 1 });
  });
});
