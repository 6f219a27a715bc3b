// What does a job do when another writer deletes or evicts its pods, deletes its batch Job, or
// removes its deadline? And one whose pods never run? On a real API server, with the real Job
// controller and real processes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
});

afterAll(() => swarm.stop());

const make = async (namespace: string, spec: object): Promise<Job> => {
  await makeQueue(swarm, namespace);
  return makeJob(swarm, namespace, 'sim', { backoffSeconds: 1, ...spec });
};

/** Ends well on the signal, as etcd and many servers do. */
const endsWell = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'];

/** Takes three seconds to end. */
const endsLate = ['sh', '-c', 'trap "sleep 3; exit 0" TERM; while :; do sleep 0.1; done'];

/** A suspended batch Job that waits by its label. */
const makeLabelled = (namespace: string, spec: object, pod: object = {}): Promise<unknown> =>
  swarm.create(kinds.Job, namespace, 'night', {
    metadata: { labels: { 'k8slab.info/queue': 'batch' } },
    spec: {
      ...{ suspend: true, ...spec },
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'busybox', command: endsWell }],
          ...pod,
        },
      },
    },
  });

/** The queue writes its status every two seconds at most. */
const usesPods = (namespace: string, pods: string): Promise<void> =>
  eventually(`the queue uses ${pods} pods`, async () => {
    const queue = await swarm.api.get(kinds.SwarmQueue, { namespace, name: 'batch' });
    return dig(queue, 'status', 'usage', 'pods') === pods;
  });

describe('a rank that is told to end and exits 0', () => {
  it.each([
    ['deleted', 1, 'rank 0 was told to end: its pod was deleted'],
    ['evicted', 1, 'rank 0 was disrupted: Eviction API: evicting'],
    ['deleted', 3, 'rank 0 was told to end: its pod was deleted'],
  ])('a job whose pods are %s runs again: %d of them', async (how, size, why) => {
    const namespace = `${how}-${size}`;
    const job = await make(namespace, { size, command: endsWell });
    await job.is('Running');
    for (const { metadata } of await job.pods()) {
      const { name, uid = '' } = metadata;
      if (how === 'evicted') await swarm.api.evict({ namespace, name, uid });
      else await swarm.api.delete(kinds.Pod, { namespace, name });
    }
    await eventually('it runs again', async () => {
      const { state, attempt } = await job.status();
      expect(state).not.toBe('Succeeded');
      return state === 'Running' && attempt === 2;
    });
    const { failures, history = [] } = await job.status();
    expect(failures).toEqual({ application: 0, image: 0, start: 0, disruption: 1 });
    if (size === 1) expect(history.some(({ message }) => message?.includes(why))).toBe(true);
    await job.kubectl('delete', 'swarmjob/sim', '--wait=false');
  });
});

describe('pods that outlive their batch Job', () => {
  it('a job whose batch Job was deleted without its pods does not run twice', async () => {
    const job = await make('orphans', { size: 2, command: endsWell });
    await job.is('Running');
    const before = (await job.pods()).map(({ metadata }) => metadata.name);
    await job.kubectl('delete', 'job/sim', '--cascade=orphan');
    await eventually('the job names the pods and says that nothing ends them', async () => {
      const { message = '' } = await job.is('Admitted', 'PodsEnding');
      return /2 pods have not ended: .*; delete the 2 that no Job controls any more/.test(message);
    });
    await usesPods('orphans', '2');
    expect((await job.pods()).map(({ metadata }) => metadata.name)).toEqual(before);
    await job.kubectl('delete', 'pod', ...before);
    await eventually('it runs again', async () => (await job.status()).attempt === 2);
    await job.kubectl('delete', 'swarmjob/sim', '--wait=false');
  });

  it('a Job that was queued by its label and deleted without its pods keeps its quota', async () => {
    const namespace = 'labelled-orphans';
    await makeQueue(swarm, namespace);
    await makeLabelled(namespace, { parallelism: 2, completions: 2 });
    await eventually('both pods run', async () => {
      const { items } = await swarm.api.list(kinds.Pod, namespace);
      return items.filter((pod) => dig(pod, 'status', 'phase') === 'Running').length === 2;
    });
    const k = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
    await k('delete', 'job/night', '--cascade=orphan');
    const next = await makeJob(swarm, namespace, 'next', { size: 3, command: endsWell });
    await next.is('Waiting', 'WaitingForQuota');
    await usesPods(namespace, '2');
    await k('delete', 'pods', '--selector=batch.kubernetes.io/job-name=night');
    await next.is('Running');
  });
});

describe('a queue with maxActiveDeadlineSeconds', () => {
  it('a Job whose user removes its deadline while it runs gets the longest that the queue allows', async () => {
    const namespace = 'deadlines';
    await makeQueue(swarm, namespace, { pods: '1' }, { maxActiveDeadlineSeconds: 600 });
    await makeLabelled(namespace, { activeDeadlineSeconds: 60 });
    const deadline = async () => {
      const job = await swarm.api.get(kinds.Job, { namespace, name: 'night' });
      return {
        seconds: dig(job, 'spec', 'activeDeadlineSeconds'),
        waits: dig(job, 'spec', 'suspend'),
      };
    };
    await eventually('it is started', async () => (await deadline()).waits === false);
    const k = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
    const patch = '[{"op":"remove","path":"/spec/activeDeadlineSeconds"}]';
    await k('patch', 'job/night', '--type=json', `--patch=${patch}`);
    await eventually('it has the longest deadline', async () => (await deadline()).seconds === 600);
    await eventually('an event says so', async () =>
      /DeadlineShortened .*SwarmQueue batch allows no more/.test(await k('get', 'events')),
    );
  });
});

describe('a batch Job that its queue starts', () => {
  it('a pod of it that is deleted has no successor until it has ended', async () => {
    const namespace = 'replaced';
    await makeQueue(swarm, namespace, { pods: '1' });
    await makeLabelled(
      namespace,
      { completions: 2 },
      { containers: [{ name: 'main', image: 'busybox', command: endsLate }] },
    );
    const living = async () =>
      (await swarm.api.list(kinds.Pod, namespace)).items
        .map((pod) => ({ name: pod.metadata.name, phase: dig(pod, 'status', 'phase') }))
        .filter(({ phase }) => phase === 'Running' || phase === 'Pending');
    await eventually('its pod runs', async () => (await living())[0]?.phase === 'Running');
    const [first] = await living();
    await swarm.kubectl('-n', namespace, 'delete', 'pod', String(first?.name), '--wait=false');
    await eventually('another pod runs', async () => {
      const pods = await living();
      expect(pods.length).toBeLessThanOrEqual(1);
      return pods.some(({ name, phase }) => name !== first?.name && phase === 'Running');
    });
  });

  it('one whose pods never run gives its quota to the next one after the start time-out', async () => {
    const namespace = 'never-starts';
    const spec = { jobDefaults: { startTimeoutSeconds: 2 } };
    await makeQueue(swarm, namespace, { pods: '1' }, spec);
    await makeLabelled(namespace, {}, { nodeSelector: { 'example.org/gone': 'yes' } });
    const job = () => swarm.api.get(kinds.Job, { namespace, name: 'night' });
    await eventually('it is started', async () => dig(await job(), 'spec', 'suspend') === false);
    const next = await makeJob(swarm, namespace, 'next', { command: ['true'] });
    await next.is('Succeeded');
    const k = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
    expect(await k('get', 'events')).toMatch(/StartTimedOut .*none of its pods ran within 2 s/);
  });
});
