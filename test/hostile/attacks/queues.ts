// What can queues contain, and batch Jobs that are queued by a label?
import { kinds } from '../../../src/api/kinds.ts';
import { names } from '../../integration/support/shape.ts';
import type { Attack } from '../tenant.ts';
import { job, QUEUE, queueIn } from './jobs.ts';

/** At some five milliseconds a write. */
const TIMES = 30;
const LABEL = 'k8slab.info/queue';

const strange: Attack = {
  kind: 'queues-with-strange-quantities',
  run: async (tenant, { namespace, name, random }) => {
    const many = Object.fromEntries(names(15, 'example.com/r').map((it) => [it, '1']));
    const long = Object.fromEntries(names(15, 'r'.repeat(60_000)).map((it) => [it, '1']));
    const quota = random.pick<object>([
      { pods: '1e18', cpu: '1n', memory: '0.0000001' },
      { pods: '9223372036854775807', cpu: '9E', memory: '9Ei' },
      { pods: '1e999' },
      { pods: 0 },
      { pods: '-1' },
      { pods: '1'.repeat(5_000) },
      { cpu: '0.1e3' },
      many,
      long,
    ]);
    const own = `${name}-${random.between(0, 9)}`;
    await tenant.write(kinds.SwarmQueue, namespace, own, {
      metadata: { annotations: { text: 'x'.repeat(200_000) } },
      spec: { quota, strategy: random.pick(['StrictFIFO', 'BestEffort']) },
    });
    const requests = random.pick([{ cpu: '1m' }, many]);
    await job(tenant, namespace, own, { queueName: own, resources: { requests } });
    return [];
  },
};

const anew: Attack = {
  kind: 'queues-deleted-and-made-anew',
  run: async (tenant, { namespace }) => {
    for (let time = 0; time < TIMES / 2 && !tenant.isEnding; time += 1) {
      await queueIn(tenant, namespace);
      await tenant.patch(kinds.SwarmQueue, namespace, QUEUE, {
        spec: { paused: time % 2 === 0, quota: { pods: String(time) } },
      });
      await tenant.remove(kinds.SwarmQueue, namespace, QUEUE);
    }
    await queueIn(tenant, namespace);
    return [];
  },
};

const batchJob = (name: string, labels: object, spec: object = {}, annotations: object = {}) => ({
  metadata: { labels, annotations },
  spec: {
    suspend: true,
    template: {
      metadata: { labels: { answers: 'ends', ...labels } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: `hostile:${name}` }] },
    },
    ...spec,
  },
});

const labelled: Attack = {
  kind: 'batch-jobs-with-wild-labels',
  run: async (tenant, { namespace, name, random }) => {
    await queueIn(tenant, namespace);
    for (let index = 0; index < 10 && !tenant.isEnding; index += 1) {
      const own = `${name}-${index}`;
      const labels = {
        [LABEL]: random.pick([QUEUE, 'none', '']),
        ...random.pick([{}, { 'k8slab.info/job': own }, { 'kueue.x-k8s.io/queue-name': 'x' }]),
        ...Object.fromEntries(names(random.pick([0, 500]), 'l').map((it) => [it, it])),
      };
      const grant = random.pick(['2', '3', '999999999999999', '-1', '1e3', 'x'.repeat(9_000)]);
      // Kubernetes itself would create so many pods, if it were not suspended.
      const suspend = random.chance(0.8);
      const parallelism = random.pick(suspend ? [0, 1, 5, 100_000, 2_147_483_647] : [0, 1, 5]);
      await tenant.remove(kinds.Job, namespace, own);
      const notes = { 'k8slab.info/grant': grant, 'k8slab.info/attempt': grant };
      const spec = { parallelism, completions: parallelism, suspend };
      await tenant.write(kinds.Job, namespace, own, batchJob(own, labels, spec, notes));
    }
    return [];
  },
};

/** As another controller would that wants it suspended. */
const fought: Attack = {
  kind: 'batch-jobs-suspended-again-and-again',
  run: async (tenant, { namespace, name }) => {
    await queueIn(tenant, namespace);
    const requests = { requests: { cpu: '1m' } };
    const containers = [{ name: 'main', image: 'hostile:test', resources: requests }];
    const template = { spec: { restartPolicy: 'Never', containers } };
    await tenant.write(
      kinds.Job,
      namespace,
      name,
      batchJob(name, { [LABEL]: QUEUE }, { template, parallelism: 1 }),
    );
    for (let time = 0; time < TIMES && !tenant.isEnding; time += 1) {
      await tenant.patch(kinds.Job, namespace, name, { spec: { suspend: true } });
      const annotations = { 'k8slab.info/grant': String(2 * time) };
      await tenant.patch(kinds.Job, namespace, name, { metadata: { annotations } });
    }
    return [];
  },
};

const hugeJobs: Attack = {
  kind: 'batch-jobs-near-the-size-limit',
  run: async (tenant, { namespace, name, random }) => {
    const resources = Object.fromEntries(names(200, 'example.com/r').map((it) => [it, '1']));
    const containers = names(60, 'c').map((it) => ({
      ...{ name: it, image: 'hostile:test' },
      resources: { requests: resources, limits: resources },
    }));
    const template = { spec: { restartPolicy: 'Never', containers } };
    const own = `${name}-${random.between(0, 9)}`;
    const made = batchJob(own, { [LABEL]: QUEUE }, { template });
    await tenant.write(kinds.Job, namespace, own, made);
    return [];
  },
};

export const queueAttacks: readonly Attack[] = [strange, anew, labelled, fought, hugeJobs];
