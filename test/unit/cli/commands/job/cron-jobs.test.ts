// What does `job why` say of a Job of a CronJob that waits for a queue?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobWhy } from '../../../../../src/cli/commands/job/why.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import { labelledJobObject, queueObject, readyStatus } from '../../job-object.ts';
import { ran } from '../../ran.ts';

const apiVersion = 'batch/v1';
const named = (policy: string): { readonly name: string; readonly uid: string } => ({
  name: policy.toLowerCase(),
  uid: `${policy}-uid`,
});

const cronJobOf = (concurrencyPolicy: string): object => ({
  ...{ apiVersion, kind: 'CronJob' },
  metadata: { ...named(concurrencyPolicy), namespace: 'swarm' },
  spec: { concurrencyPolicy },
});
const madeBy = (policy: string, name = `of-${policy.toLowerCase()}`, spec = {}): object =>
  labelledJobObject(
    { name, spec },
    { ownerReferences: [{ apiVersion, kind: 'CronJob', ...named(policy), controller: true }] },
  );

const cluster = new FakeCluster({
  swarmqueues: [queueObject({ status: readyStatus })],
  swarmjobs: [],
  cronjobs: ['Allow', 'Forbid', 'Replace'].map(cronJobOf),
  jobs: [
    ...['Allow', 'Forbid', 'Replace', 'Gone'].map((policy) => madeBy(policy)),
    madeBy('Allow', 'another'),
    madeBy('Allow', 'runs', { suspend: false }),
  ],
  pods: [],
  resourcequotas: [],
  limitranges: [],
  events: [],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const toldOf = async (name: string): Promise<string | undefined> => {
  const { stdout } = await ran(jobWhy, `batch/${name}`, '--kubeconfig', cluster.kubeconfig);
  expect(stdout).toContain(`Job swarm/${name}: `);
  return stdout.split('\n').find((line) => line.startsWith('CronJob'));
};

describe('swarmctl job why of a Job of a CronJob', () => {
  it.each([
    ['allow', 'Allow: each run adds a Job, also while others wait: 2 of them do'],
    ['forbid', 'Forbid: it runs no other Job while this one waits'],
    [
      'replace',
      'Replace: its next run deletes this Job, and the new one takes its place in the queue',
    ],
  ])('it says what the policy %s means', async (name, means) =>
    expect(await toldOf(`of-${name}`)).toBe(`CronJob ${name} has concurrencyPolicy ${means}`),
  );

  it('it says nothing of a CronJob that was deleted', async () =>
    expect(await toldOf('of-gone')).toBeUndefined());
});
