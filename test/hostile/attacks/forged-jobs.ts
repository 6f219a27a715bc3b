// What if a user makes objects that look like those of the operator: ledgers, batch Jobs, pods,
// Services, ConfigMaps and statuses?
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject, OwnerReference } from '../../../src/api/objects.ts';
import { names } from '../../integration/support/shape.ts';
import type { Attack, Place, Tenant } from '../tenant.ts';
import { job, QUEUE, queueIn } from './jobs.ts';

const entryFor = (uid: string, name: string): object => ({
  ...{ uid, name, queue: QUEUE, size: 1, grant: 2 },
  requests: { pods: '1' },
  time: '2026-01-01T00:00:00Z',
});

const ledgers: Attack = {
  kind: 'forged-ledgers',
  run: async (tenant, { namespace, other }) => {
    const entries = names(2_000).map((it) => entryFor(it, it));
    const data = {
      'ledger.json': JSON.stringify({ epoch: 'x', nextGrant: 2, entries }),
      digest: '0',
    };
    const labels = { 'app.kubernetes.io/managed-by': 'swarm-operator' };
    for (const tenancy of [namespace, other, tenant.victim.namespace])
      for (const where of [namespace, 'swarm-operator'])
        await tenant.write(kinds.ConfigMap, where, `swarm-ledger-${tenancy}`, {
          metadata: { labels },
          data,
        });
    return [];
  },
};

const ownerOf = (
  { metadata: { name, uid = '' } }: KubeObject,
  apiVersion: string,
  kind: string,
): OwnerReference => ({ apiVersion, kind, name, uid, controller: true });

async function ownJob(tenant: Tenant, { namespace, name }: Place, spec: object = {}) {
  await queueIn(tenant, namespace);
  return job(tenant, namespace, name, spec);
}

const template = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'hostile:test' }] },
};

/** Objects of the names that the operator would give to its own. */
const children: Attack = {
  kind: 'forged-children',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    const swarmJob = await ownJob(tenant, place, { size: 2, suspend: random.chance(0.5) });
    if (swarmJob === undefined) return [];
    const apiVersion = random.pick(['k8slab.info/v1alpha1', 'other.io/v1', 'k8slab.info.evil/v1']);
    const metadata = {
      labels: { 'k8slab.info/job': name, 'k8slab.info/queue': QUEUE },
      annotations: { 'k8slab.info/grant': random.pick(['2', '99999998']) },
      ownerReferences: [ownerOf(swarmJob, apiVersion, random.pick(['SwarmJob', 'Swarmjob']))],
    };
    const size = { 'k8slab.info/size': '7' };
    for (const own of [name, `${name}-x`])
      await tenant.write(kinds.Job, namespace, own, { metadata, spec: { template } });
    await tenant.write(kinds.Service, namespace, name, {
      metadata: { ...metadata, annotations: size },
      spec: { clusterIP: 'None', selector: { app: tenant.victim.pools[0] } },
    });
    await tenant.write(kinds.ConfigMap, namespace, `${name}-hosts`, {
      metadata: { ...metadata, annotations: size },
      data: { hosts: 'x'.repeat(500_000) },
    });
    await tenant.patch(kinds.SwarmJob, namespace, name, { status: { state: 'Running' } }, 'status');
    if (random.chance(0.5)) await tenant.remove(kinds.Job, namespace, name);
    return [];
  },
};

/** With the labels of a job's pods, and a batch Job that is not theirs as their owner. */
const pods: Attack = {
  kind: 'forged-pods',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    const swarmJob = await ownJob(tenant, place);
    const { uid = '' } = swarmJob?.metadata ?? {};
    const batchUid = await tenant.uidOf(kinds.Job, namespace, name);
    for (const index of [0, 1, 2]) {
      const pod = `${name}-${index}-forged`;
      const owner = {
        ...{ apiVersion: random.pick(['batch/v1', 'other.io/v1']), kind: 'Job', controller: true },
        ...{ name, uid: random.pick([batchUid ?? 'x', 'made-up', uid]) },
      };
      await tenant.remove(kinds.Pod, namespace, pod);
      await tenant.write(kinds.Pod, namespace, pod, {
        metadata: {
          labels: { 'k8slab.info/job': name, 'k8slab.info/queue': QUEUE, answers: 'fails' },
          annotations: {
            'k8slab.info/job-uid': random.pick([uid, 'made-up']),
            'batch.kubernetes.io/job-completion-index': random.pick(['0', '-1', '1e9']),
          },
          ownerReferences: [owner],
        },
        spec: template.spec,
      });
    }
    return [];
  },
};

export const forgedJobAttacks: readonly Attack[] = [ledgers, children, pods];
