// What does an API server contain when many pools are at rest? Copies of one resting pool under
// other names.
import { apiVersionOf, kinds } from '../../src/api/kinds.ts';
import { settled } from '../../test/support/pool-decisions.ts';
import { world } from '../../test/support/pool-worlds.ts';

const WORKERS = 10;
const STREAMS = 50;
/**
 * Parts of every pod that the operator does not use: environment, container statuses, managed
 * fields.
 */
const BALLAST = { note: 'x'.repeat(3_000) };

export type RestingWorld = {
  readonly pods: number;
  /** As text, by the plural of its kind. */
  at(plural: string, index: number): string;
  count(plural: string): number;
};

/** `addresses`: where all workers answer, at this port. */
export function restingWorld(
  pools: number,
  addresses: readonly string[],
  port: number,
): RestingWorld {
  const rest = settled(
    world({ workers: WORKERS, streams: STREAMS, spec: { probe: { httpGet: { port } } } }),
  );
  const [published] = rest.published.shards;
  if (published === undefined || !rest.pool.spec.ok)
    throw new Error('the world has not come to rest');
  const { meta, spec, status } = rest.pool;
  const container = { name: 'worker', ports: [{ name: 'http', containerPort: port }] };
  const volumes = [{ name: 'assignments', configMap: { name: 'tv-assignments' } }];
  const templates: Readonly<Record<string, readonly object[]>> = {
    swarmpools: [
      {
        apiVersion: apiVersionOf(kinds.SwarmPool),
        kind: 'SwarmPool',
        metadata: {
          name: 'tv',
          namespace: 'swarm',
          uid: 'pool-uid',
          resourceVersion: '5',
          generation: meta.generation,
          creationTimestamp: meta.creationTimestamp,
        },
        spec: {
          ...spec.value,
          workers: { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'worker' } },
        },
        status,
      },
    ],
    statefulsets: [
      {
        metadata: {
          name: 'worker',
          namespace: 'swarm',
          uid: 'set-uid',
          resourceVersion: '5',
          labels: { app: 'worker' },
        },
        spec: {
          replicas: WORKERS,
          selector: { matchLabels: { app: 'worker' } },
          template: { spec: { containers: [container], volumes } },
        },
      },
    ],
    configmaps: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'tv-assignments',
          namespace: 'swarm',
          uid: 'map-uid',
          resourceVersion: '5',
          labels: published.configMap.labels,
          annotations: published.configMap.annotations,
        },
        data: published.configMap.data,
      },
    ],
    pods: rest.pods.map(({ name, uid, assigned }) => ({
      metadata: {
        name,
        namespace: 'swarm',
        uid,
        resourceVersion: '5',
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'StatefulSet',
            name: 'worker',
            uid: 'set-uid',
            controller: true,
          },
        ],
        annotations: { 'k8slab.info/assigned': assigned },
        managedFields: [BALLAST],
      },
      spec: { containers: [container] },
      status: {
        phase: 'Running',
        podIP: 'worker-address',
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    })),
  };
  const texts = Object.fromEntries(
    Object.entries(templates).map(([plural, objects]) => [
      plural,
      objects.map((object) => JSON.stringify(object)),
    ]),
  );
  const of = (plural: string): readonly string[] => texts[plural] ?? [];
  return {
    pods: pools * WORKERS,
    count: (plural) => of(plural).length * pools,
    at: (plural, index) => {
      const templatesOf = of(plural);
      const pool = Math.floor(index / templatesOf.length);
      return renamed(
        templatesOf[index % templatesOf.length] ?? '',
        pool,
        addresses[index % addresses.length] ?? '',
      );
    },
  };
}

/** Every name and UID in the template gets the pool's number. */
const renamed = (template: string, pool: number, address: string): string =>
  template
    .replaceAll('worker-address', address)
    .replaceAll(/\bworker(?=-\d|"| mounts)/g, `worker${pool}`)
    .replaceAll(/\btv\b/g, `tv${pool}`)
    .replaceAll(/(set|pool|map|uid)-(uid|\d+)/g, `$1-$2-${pool}`);
