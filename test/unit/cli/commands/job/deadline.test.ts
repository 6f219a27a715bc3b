// Does `job status` say when a job that runs ends at the latest?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobStatus } from '../../../../../src/cli/commands/job/status.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import { batchJobObject, jobObject, statusAt } from '../../job-object.ts';
import { ran } from '../../ran.ts';

const running = statusAt('Running', 'AllRanksRunning', '2 of 2 ranks run');
const begun = (secondsAgo: number): object => ({
  startTime: new Date(Date.now() - secondsAgo * 1_000).toISOString(),
});
const signalled = { 'k8slab.info/signal-seconds': '600' };
const limited = { suspend: false, activeDeadlineSeconds: 3_600 };

const cluster = new FakeCluster({
  swarmjobs: ['limited', 'told', 'free', 'other'].map((name) =>
    jobObject({ name, status: running }),
  ),
  jobs: [
    batchJobObject('limited', { spec: limited, status: begun(65) }),
    batchJobObject('told', { spec: limited, status: begun(65) }, signalled),
    batchJobObject('free', { status: begun(65) }),
    {
      ...batchJobObject('other', { spec: limited, status: begun(65) }),
      metadata: { name: 'other', namespace: 'swarm', uid: 'of-another' },
    },
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const factsOf = async (name: string): Promise<string> =>
  (await ran(jobStatus, name, '--kubeconfig', cluster.kubeconfig)).stdout;

describe('swarmctl job status of a job that runs', () => {
  it('it says when its deadline is', async () => {
    expect(await factsOf('limited')).toMatch(/SwarmQueue batch, its deadline is in 5[89]m, /);
    const json = await ran(jobStatus, 'limited', '-o', 'json', '--kubeconfig', cluster.kubeconfig);
    expect(Date.parse(JSON.parse(json.stdout).endsBy)).toBeGreaterThan(Date.now());
  });

  it('it says when its ranks are told to end before its deadline', async () => {
    expect(await factsOf('told')).toMatch(/, its deadline is in 6[89]m, SIGTERM in 5[89]m, /);
    expect(await factsOf('limited')).not.toContain('SIGTERM');
  });

  it.each(['free', 'other'])('it says nothing where there is none: %s', async (name) => {
    const facts = await factsOf(name);
    expect(facts).toContain('SwarmQueue batch, 0 of 2 ranks ready');
    expect(facts).not.toContain('deadline');
  });
});
