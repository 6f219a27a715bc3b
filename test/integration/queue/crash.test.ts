// Does a start or a release change nothing that a crashed or replaced leader writes too late? On a
// real API server, by the steps that a decision has.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Step } from '../../../src/core/decision.ts';
import { execute } from '../../../src/runtime/engine/execute.ts';
import { Swarm } from '../support/swarm.ts';

const GRANT = '/metadata/annotations/k8slab.info~1grant';
const namespace = 'late-writes';
let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.kubectl('create', 'namespace', namespace);
});

afterAll(() => swarm.stop());

const batchJob = (name: string): Promise<KubeObject> =>
  swarm.api.create(kinds.Job, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, annotations: { 'k8slab.info/grant': '2' } },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none' }] } },
    },
  });
const stepOf = ({ metadata }: KubeObject, ...operations: readonly object[]): Step => ({
  do: 'operate',
  kind: kinds.Job,
  ref: { name: metadata.name, namespace, uid: metadata.uid ?? '' },
  operations: operations as never,
});
const start = (job: KubeObject): Step =>
  stepOf(
    job,
    { op: 'test', path: GRANT, value: '2' },
    { op: 'replace', path: '/spec/suspend', value: false },
  );
const release = (job: KubeObject): Step =>
  stepOf(
    job,
    { op: 'test', path: GRANT, value: '2' },
    { op: 'replace', path: GRANT, value: '3' },
    { op: 'replace', path: '/spec/suspend', value: true },
  );
const carryOut = (step: Step): Promise<void> =>
  execute(
    {
      api: swarm.api,
      events: { tell: () => undefined },
      isLeading: () => true,
      onWritten: () => undefined,
      onScaled: () => undefined,
      markOutdated: () => undefined,
    },
    [step],
  );
const isSuspended = async (name: string): Promise<unknown> =>
  dig(await swarm.api.get(kinds.Job, { namespace, name }), 'spec', 'suspend');

describe('a write of a leader that is not the leader any more', () => {
  it('a late start changes nothing after the grant was taken back, and counts as outdated', async () => {
    const job = await batchJob('released');
    await carryOut(release(job));
    await expect(carryOut(start(job))).rejects.toMatchObject({ code: 'Stale' });
    expect(await isSuspended('released')).toBe(true);
  });

  it('a late start does not start the successor of a batch Job', async () => {
    const job = await batchJob('replaced');
    await swarm.api.delete(kinds.Job, { namespace, name: 'replaced' });
    await batchJob('replaced');
    await expect(carryOut(start(job))).rejects.toMatchObject({ code: 'Stale' });
    expect(await isSuspended('replaced')).toBe(true);
  });

  it('a start is carried out as long as the grant holds', async () => {
    const job = await batchJob('started');
    await carryOut(start(job));
    expect(await isSuspended('started')).toBe(false);
  });

  const requests = { resources: { requests: { cpu: '4' } } };
  it.each([
    ['has more pods', 'scaled-up', { parallelism: 3 }],
    [
      'requests more',
      'requesting',
      { template: { spec: { containers: [{ name: 'main', image: 'none', ...requests }] } } },
    ],
  ])('a start of a labelled Job that %s by then changes nothing', async (_, name, spec) => {
    const job = await batchJob(name);
    await swarm.api.patch(kinds.Job, { namespace, name }, { type: 'merge', body: { spec } });
    const { uid = '', resourceVersion = '' } = job.metadata;
    const late: Step = {
      do: 'patch',
      kind: kinds.Job,
      ref: { name, namespace, uid, resourceVersion },
      body: { spec: { suspend: false } },
    };
    await expect(carryOut(late)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await isSuspended(name)).toBe(true);
  });
});
