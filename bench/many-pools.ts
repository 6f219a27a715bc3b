// How does a benchmark create many small pools, each with its own workers?
import { kinds } from '../src/api/kinds.ts';
import { asString, dig } from '../src/api/objects.ts';
import { names } from '../test/integration/support/shape.ts';
import type { Swarm } from '../test/integration/support/swarm.ts';
import { inLanes } from './instruments/lanes.ts';

export type ManySize = {
  readonly namespaces: number;
  readonly pools: number;
  readonly workers: number;
};

type Place = { readonly namespace: string; readonly name: string };

const STREAMS_PER_WORKER = 5;

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

export class ManyPools {
  readonly places: readonly Place[];
  readonly #swarm: Swarm;
  readonly #streams: number;

  private constructor(swarm: Swarm, places: readonly Place[], workers: number) {
    this.#swarm = swarm;
    this.places = places;
    this.#streams = workers * STREAMS_PER_WORKER;
  }

  static async create(swarm: Swarm, { namespaces, pools, workers }: ManySize): Promise<ManyPools> {
    const spaces = numbers(namespaces).map((index) => `many-${index}`);
    for (const name of spaces)
      await swarm.api.create(kinds.Namespace, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
    const places = spaces.flatMap((namespace) =>
      numbers(pools).map((index) => ({ namespace, name: `pool-${index}` })),
    );
    const many = new ManyPools(swarm, places, workers);
    await inLanes(places, async ({ namespace, name }) => {
      await swarm.create(kinds.StatefulSet, namespace, name, workload(name, workers));
      await swarm.create(kinds.SwarmPool, namespace, name, {
        spec: { workers: { targetRef: target(name) }, streams: many.#list('s') },
      });
    });
    return many;
  }

  /** Renames all streams: every slice changes. Returns the version before. */
  async edit({ namespace, name }: Place, prefix: string): Promise<number> {
    const body = { spec: { streams: this.#list(prefix) } };
    const object = await this.#swarm.api.patch(
      kinds.SwarmPool,
      { namespace, name },
      { type: 'merge', body },
    );
    return Number(dig(object, 'status', 'version') ?? 0);
  }

  async statusOf({
    namespace,
    name,
  }: Place): Promise<{ readonly version: number; readonly isConverged: boolean }> {
    const pool = await this.#swarm.api.get(kinds.SwarmPool, { namespace, name });
    const conditions = dig(pool, 'status', 'conditions');
    const converged = Array.isArray(conditions)
      ? conditions.find((it) => dig(it, 'type') === 'Converged')
      : undefined;
    return {
      version: Number(dig(pool, 'status', 'version') ?? 0),
      isConverged: asString(dig(converged, 'status')) === 'True',
    };
  }

  #list(prefix: string): readonly object[] {
    return names(this.#streams, prefix).map((name) => ({ name }));
  }
}

const target = (name: string): object => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', name });

function workload(name: string, workers: number): object {
  const labels = { app: name };
  const container = {
    name: 'worker',
    image: 'swarm-worker:test',
    env: ['POD_NAME', 'POD_UID', 'POD_IP'].map((variable) => ({
      name: variable,
      valueFrom: {
        fieldRef: {
          fieldPath: { POD_NAME: 'metadata.name', POD_UID: 'metadata.uid', POD_IP: 'status.podIP' }[
            variable
          ],
        },
      },
    })),
    readinessProbe: { httpGet: { path: '/internal/health', port: 9090 } },
    volumeMounts: [{ name: 'assignments', mountPath: '/app/config' }],
  };
  const volumes = [
    { name: 'assignments', configMap: { name: `${name}-assignments`, optional: true } },
  ];
  return {
    metadata: { labels },
    spec: {
      replicas: workers,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { automountServiceAccountToken: false, containers: [container], volumes },
      },
    },
  };
}
