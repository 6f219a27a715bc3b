// Does a job that is submitted run to its end, with an operator, a Job controller and pods?
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, dig } from '../../../src/api/objects.ts';
import { orNothing } from '../../../src/runtime/client/errors.ts';
import { eventually } from '../../support/processes.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let namespace = '';
let next = 0;

beforeAll(async () => {
  swarm = await Swarm.start({ nodes: 2 });
  await swarm.operator('--kinds', 'queues,jobs');
});

afterAll(() => swarm.stop());

beforeEach(() => {
  next += 1;
  namespace = `jobs-${next}`;
});

const queue = (quota: object) => makeQueue(swarm, namespace, quota);
const job = (name: string, script: string, spec: object = {}) =>
  makeJob(swarm, namespace, name, { command: ['sh', '-c', script], ...spec });

describe('a job', () => {
  it('a job of one pod runs to its end, and status has each state that it passed', async () => {
    await queue({ pods: '1' });
    const hello = await job('hello', 'sleep 1; echo rank $SWARM_RANK of $SWARM_SIZE');
    const { history = [], ...status } = await hello.finishes();
    expect(status).toMatchObject({ state: 'Succeeded', attempt: 1, exitCode: 0 });
    const states = history.map(({ state }) => state);
    expect(states.reverse()).toEqual(['Starting', 'Running', 'Succeeded']);
    const logs = await hello.kubectl('logs', '-l', 'k8slab.info/job=hello');
    expect(logs).toBe('rank 0 of 1\n');
  });

  it('the ranks of a gang know each other by environment and files, and all must succeed', async () => {
    await queue({ pods: '3' });
    const script = 'echo $(cat /etc/swarm/rank) $SWARM_LEADER $(cat /etc/swarm/hosts)';
    const gang = await job('gang', script, { size: 3 });
    expect(await gang.finishes()).toMatchObject({ state: 'Succeeded', hosts: 'gang-[0-2]' });
    const logs = await gang.kubectl('logs', '-l', 'k8slab.info/job=gang');
    const hosts = [0, 1, 2].map((rank) => `gang-${rank}.gang`).join(' ');
    expect(logs.trim().split('\n').sort()).toEqual(
      [0, 1, 2].map((rank) => `${rank} gang-0.gang ${hosts}`),
    );
  });

  it('jobs that do not fit into the quota together all succeed at their first attempt', async () => {
    await queue({ pods: '2' });
    const all: Job[] = [];
    for (const name of ['a', 'b', 'c']) all.push(await job(name, 'sleep 1', { size: 2 }));
    for (const one of all)
      expect(await one.finishes()).toMatchObject({ state: 'Succeeded', attempt: 1 });
  });

  it('a job whose command fails is Failed, with the exit code and the rank', async () => {
    await queue({ pods: '2' });
    const bad = await job('bad', 'if [ $SWARM_RANK = 1 ]; then exit 3; fi; sleep 30', { size: 2 });
    expect(await bad.finishes()).toMatchObject({
      state: 'Failed',
      exitCode: 3,
      failures: { application: 1 },
    });
  });

  it('a suspended job gives its quota back, and runs again when it is resumed', async () => {
    await queue({ pods: '1' });
    const long = await job('long', 'sleep 300');
    await long.is('Running');
    await long.edit({ suspend: true });
    await long.is('Suspended');
    const short = await job('short', 'true');
    await short.finishes();
    await long.edit({ suspend: false });
    expect(await long.is('Running')).toMatchObject({ attempt: 2 });
  });

  it('the batch Job, the Service and the pods of a job are deleted with it', async () => {
    await queue({ pods: '2' });
    const gone = await job('gone', 'sleep 300', { size: 2 });
    await gone.is('Running');
    await gone.kubectl('delete', 'swarmjob', 'gone');
    for (const kind of [kinds.Job, kinds.Service])
      await eventually(
        `${kind.kind} is deleted`,
        async () =>
          (await orNothing(swarm.api.get(kind, { namespace, name: 'gone' }))) === undefined,
      );
    await eventually(
      'no pod is left',
      async () => (await swarm.api.list(kinds.Pod, namespace)).items.length === 0,
    );
  });
});

describe('Jobs without a SwarmJob', () => {
  it('the Jobs of a CronJob with the label of a queue run one after the other', async () => {
    await queue({ pods: '1' });
    const script = 'sleep 2';
    await swarm.create(kinds.CronJob, namespace, 'nightly', {
      spec: {
        schedule: '0 0 1 1 *',
        jobTemplate: {
          metadata: { labels: { 'k8slab.info/queue': 'batch' } },
          spec: {
            suspend: true,
            template: {
              spec: {
                restartPolicy: 'Never',
                containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }],
              },
            },
          },
        },
      },
    });
    for (const name of ['first', 'second'])
      await swarm.kubectl('-n', namespace, 'create', 'job', name, '--from=cronjob/nightly');
    const times = await Promise.all(
      ['first', 'second'].map(async (name) => {
        await swarm.kubectl(
          '-n',
          namespace,
          'wait',
          `job/${name}`,
          '--for=condition=Complete',
          '--timeout=60s',
        );
        const labelSelector = `job-name=${name}`;
        const { items } = await swarm.api.list(kinds.Pod, namespace, { labelSelector });
        const [container] = asList(dig(items[0]?.['status'], 'containerStatuses'));
        const ran = dig(container, 'state', 'terminated');
        return [dig(ran, 'startedAt'), dig(ran, 'finishedAt')].map((it) => Date.parse(String(it)));
      }),
    );
    const [[, end] = [], [begin] = []] = times.sort(([a = 0], [b = 0]) => a - b);
    expect(begin).toBeGreaterThanOrEqual(end ?? Number.NaN);
  });
});
