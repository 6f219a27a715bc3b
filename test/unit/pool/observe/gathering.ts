// Gathers the world of a pool among given objects, from an API server in memory.
import { apiVersionOf, type Kind, kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { poolMarks, swarmPoolController } from '../../../../src/pool/controller.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { WorkerProbes } from '../../../../src/probes/probes.ts';
import { makeStore } from '../../../../src/runtime/store/store.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const NAMESPACE = 'swarm';

export const object = (
  kind: Kind,
  name: string,
  content: object = {},
  metadata: object = {},
): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, namespace: NAMESPACE, ...metadata },
  ...content,
});

export const configMap = (
  name: string,
  data: Readonly<Record<string, string>>,
  metadata: object = {},
): KubeObject => object(kinds.ConfigMap, name, { data }, metadata);

export const tv = (spec: object = {}): KubeObject =>
  object(
    kinds.SwarmPool,
    'tv',
    { spec: { workers: { targetRef: { name: 'worker' } }, ...spec } },
    { generation: 1 },
  );

export const workers = (replicas: number, spec: object = {}): KubeObject =>
  object(kinds.StatefulSet, 'worker', {
    spec: { replicas, selector: { matchLabels: { app: 'worker' } }, ...spec },
  });

/**
 * The world of pool tv, among these, with so much memory; left out: any amount. Each key that an
 * object wakes goes into `woken`.
 */
export async function gathered(
  objects: readonly KubeObject[],
  memory?: number,
  woken: Map<string, string[]> = new Map(),
): Promise<PoolWorld> {
  const story = await gathering(objects, memory, woken);
  return story.gather().finally(story.stop);
}

/** The same, and it goes on. `listed`: in a list that failed before its last page. */
export async function gathering(
  objects: readonly KubeObject[],
  memory?: number,
  woken: Map<string, string[]> = new Map(),
  listed: readonly KubeObject[] = [],
) {
  const clock = new VirtualClock();
  const reads: string[] = [];
  const api = new MemoryApi(clock, undefined, {
    before: ({ name, verb, kind }) => {
      if (verb === 'get') reads.push(kind.kind);
      // In a URL it would be another path; the client throws.
      if (name !== undefined && !/^[a-z0-9][a-z0-9.-]*$/.test(name))
        throw new Error(`asked for ${name}`);
    },
  });
  const asked = new WorkerProbes({ clock, onChange: () => undefined });
  const store = makeStore(api, poolMarks);
  const controller = swarmPoolController({
    api,
    clock,
    store,
    workers: asked,
    ...(memory !== undefined && { memory }),
  });
  let seen = '';
  const subscriptions = controller.subscriptions(
    (key) => void woken.set(seen, [...(woken.get(seen) ?? []), key]),
  );
  const subscriptionOf = (it: KubeObject) => {
    const subscription = subscriptions.find(({ kind }) => kind.kind === it.kind);
    if (subscription === undefined) throw new Error(`${it.kind} is not watched`);
    return subscription;
  };
  for (const it of listed) subscriptionOf(it).slim?.(it);
  for (const it of objects) {
    const { kind, onChange, slim = (whole) => whole } = subscriptionOf(it);
    const created = await api.create(kind, it);
    const { data: _, ...metadataOnly } = created;
    seen = it.metadata.name;
    onChange({ type: 'ADDED', object: slim(it.kind === 'ConfigMap' ? metadataOnly : created) });
  }
  return {
    api,
    /** Of how many ConfigMaps the contents are kept. */
    kept: (): number => store.configMaps.size,
    /** How often objects of this kind were read. */
    reads: (kind: string): number => reads.filter((it) => it === kind).length,
    change: (it: KubeObject): void => subscriptionOf(it).onChange({ type: 'MODIFIED', object: it }),
    remove: (it: KubeObject): void => subscriptionOf(it).onChange({ type: 'DELETED', object: it }),
    /** A list of each kind was reported as a whole. */
    listAgain: (): void => {
      for (const { onListed } of subscriptions) onListed?.();
    },
    gather: async (): Promise<PoolWorld> => {
      const world = await controller.observe(`${NAMESPACE}/tv`, undefined);
      if (world === undefined || world.kind !== 'SwarmPool')
        throw new Error('there is no such pool');
      return world;
    },
    /** Of pools that are to be decided about. */
    keys: (): readonly string[] => [...controller.keys()],
    /** This replica stands by. */
    skip: (key: string): void => controller.skipped(key),
    stop: () => asked.stop(),
  };
}
