// What can SwarmJobs contain, and how can they be changed, to harm the operator that decides about
// them?
import { kinds } from '../../../src/api/kinds.ts';
import { names } from '../../integration/support/shape.ts';
import type { Attack, Place, Tenant } from '../tenant.ts';

/** Of this queue of the attacker every job may ask. */
export const QUEUE = 'batch';
/** Jobs with names that begin so must never be admitted. */
export const IMPOSSIBLE = 'impossible';

const base = { queueName: QUEUE, image: 'hostile:test', command: ['run'] };

/** A queue with room for a few pods. */
export const queueIn = (tenant: Tenant, namespace: string): Promise<unknown> =>
  tenant.write(kinds.SwarmQueue, namespace, QUEUE, {
    spec: { quota: { pods: '20', cpu: '8' }, maxPriority: 1_000_000 },
  });

export const job = (tenant: Tenant, namespace: string, name: string, spec: object = {}) =>
  tenant.write(kinds.SwarmJob, namespace, name, {
    spec: { ...base, resources: { requests: { cpu: '1m' } }, ...spec },
  });

/** Each is impossible in another way. */
const impossibleSpecs: readonly object[] = [
  { size: 5_000 },
  { queueName: 'batsh' },
  { resources: {} },
  { resources: { requests: { cpu: '1e18' } } },
  { resources: { requests: { cpu: '1m', 'example.com/none': 1 } } },
  { priority: 1_000_000, size: 5_000 },
  { launcher: { type: 'Flux' }, activeDeadlineSeconds: 1 },
  { launcher: { type: 'Flux' }, size: 21 },
  { launcher: { type: 'Flux', start: 'Separately' } },
  { template: { spec: { volumes: [{ name: 'k8slab-swarm' }] } } },
];

const THOUSAND = 1_000;
const PART = 250;

/** Several at a time, as a script would. */
async function each(all: readonly string[], work: (name: string) => Promise<unknown>) {
  const left = [...all];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

/** Names that differ by one letter. */
const thousand: Attack = {
  kind: 'jobs-thousand-impossible',
  run: async (tenant, { namespace, random }) => {
    await queueIn(tenant, namespace);
    const first = PART * random.between(0, THOUSAND / PART - 1);
    const some = names(THOUSAND, `${IMPOSSIBLE}-`).slice(first, first + PART);
    await each(some, (name) =>
      job(tenant, namespace, name, impossibleSpecs[Number(name.split('-')[1]) % 10]),
    );
    return [];
  },
};

const MEGABYTE = 1_000_000;

const huge: Attack = {
  kind: 'jobs-near-the-size-limit',
  run: async (tenant, { namespace, name, random }) => {
    await queueIn(tenant, namespace);
    const text = 'x'.repeat(MEGABYTE);
    const many = names(20_000, 'V').map((it) => ({ name: it, value: 'v'.repeat(10) }));
    const spec = random.pick<object>([
      { env: many },
      { args: [text] },
      { template: { spec: { volumes: [{ name: 'v', configMap: { name: text } }] } } },
      { template: { spec: { unknown: names(90_000) } } },
      { template: { metadata: { annotations: { text } } } },
    ]);
    await job(tenant, namespace, `${name}-${random.between(0, 9)}`, spec);
    return [];
  },
};

const requests: Attack = {
  kind: 'jobs-with-very-many-requests',
  run: async (tenant, { namespace, name, random }) => {
    await queueIn(tenant, namespace);
    const each = Object.fromEntries(
      names(random.pick([15, 300]), 'example.com/r').map((it) => [it, random.pick(['0', '1n'])]),
    );
    const containers = [
      { name: 'main' },
      ...names(90, 'c').map((it) => ({ name: it, resources: { requests: each, limits: each } })),
    ];
    const spec = random.pick<object>([
      { containers },
      { initContainers: containers.slice(1), containers: [{ name: 'main' }] },
      { overhead: each },
      { affinity: { podAffinity: { x: names(30_000) } } },
      { containers: [{ name: 'main' }, { name: 'x', resources: { requests: { cpu: '1e999' } } }] },
    ]);
    await job(tenant, namespace, `${name}-${random.between(0, 9)}`, { template: { spec } });
    return [];
  },
};

/** The API server takes any template, and refuses the batch Job that is made of it. */
const templates: Attack = {
  kind: 'jobs-with-odd-templates',
  run: async (tenant, { namespace, name, random }) => {
    await queueIn(tenant, namespace);
    const spec = random.pick<object>([
      { containers: [{ name: 'main' }, { name: 'X'.repeat(63) }] },
      { containers: [{ name: 'main', env: [{ name: 'a', valueFrom: {} }] }] },
      { containers: [] },
      { serviceAccountName: 'nobody', hostNetwork: true, hostPID: true },
      { volumes: [{ name: 'host', hostPath: { path: '/' } }] },
      { nodeName: 'simulated', priorityClassName: 'system-node-critical' },
      { __proto__: { x: 1 }, constructor: { name: 'x' }, toString: 'x' },
      { finalizers: ['x/y'], ownerReferences: [{}] },
    ]);
    const labels = { app: tenant.victim.pools[0] ?? '', 'controller-uid': 'x', 'job-name': 'y' };
    const metadata = random.pick([{}, { labels }, { annotations: { 'a/b/c': 'x' } }]);
    const template = { metadata, spec };
    const own = `${name}-${random.between(0, 3)}`;
    await tenant.remove(kinds.SwarmJob, namespace, own);
    await job(tenant, namespace, own, { size: random.pick([1, 2]), template });
    return [];
  },
};

/** At some five milliseconds a write. */
const TIMES = 40;

const again = async (tenant: Tenant, times: number, once: (time: number) => Promise<unknown>) => {
  for (let time = 0; time < times && !tenant.isEnding; time += 1) await once(time);
};

const churn: Attack = {
  kind: 'jobs-changed-and-deleted',
  run: async (tenant, { namespace, name, random }: Place) => {
    await queueIn(tenant, namespace);
    await again(tenant, TIMES / 4, async () => {
      await job(tenant, namespace, name, { size: random.between(1, 3) });
      for (const size of [4, 1])
        await tenant.patch(kinds.SwarmJob, namespace, name, {
          spec: { size, priority: random.between(-9, 9), queueName: random.pick([QUEUE, 'other']) },
        });
      await tenant.remove(kinds.SwarmJob, namespace, name);
    });
    return [];
  },
};

const suspended: Attack = {
  kind: 'jobs-suspended-and-resumed',
  run: async (tenant, { namespace, name }) => {
    await queueIn(tenant, namespace);
    const own = names(3, `${name}-`);
    for (const it of own) await job(tenant, namespace, it);
    await again(tenant, TIMES, (time) =>
      tenant.patch(kinds.SwarmJob, namespace, own[time % own.length] ?? '', {
        spec: { suspend: Math.floor(time / own.length) % 2 === 0 },
      }),
    );
    return [];
  },
};

/** Their pods end as soon as they start: the kubelet reads how from the label. */
const failing: Attack = {
  kind: 'jobs-that-fail-at-once',
  run: async (tenant, { namespace, name, random }) => {
    await queueIn(tenant, namespace);
    const retries = { application: 1_000, other: 1_000 };
    await again(tenant, 10, (time) =>
      job(tenant, namespace, `${name}-${time}`, {
        ...{ retries, backoffSeconds: 1, size: random.pick([1, 1, 2]) },
        template: { metadata: { labels: { answers: random.pick(['fails', 'fails', 'ends']) } } },
        ttlSecondsAfterFinished: random.pick([0, 1, 600]),
        startTimeoutSeconds: random.pick([1, 300]),
      }),
    );
    for (const time of [0, 1]) await tenant.remove(kinds.Job, namespace, `${name}-${time}`);
    return [];
  },
};

export const jobAttacks: readonly Attack[] = [
  thousand,
  huge,
  requests,
  templates,
  churn,
  suspended,
  failing,
];
