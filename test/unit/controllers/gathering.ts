// What does the controller of pools gather of these objects? On an API server in memory, all listed once.
import { apiVersionOf, type Kind, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { swarmPoolController } from '../../../src/controllers/swarm-pool.ts';
import type { PoolWorld } from '../../../src/core/pool/world.ts';
import { Workers } from '../../../src/sources/workers.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const NAMESPACE = 'swarm';

export const object = (kind: Kind, name: string, content: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, namespace: NAMESPACE, ...metadata },
  ...content,
});

export const configMap = (name: string, data: Readonly<Record<string, string>>, metadata: object = {}): KubeObject =>
  object(kinds.ConfigMap, name, { data }, metadata);

export const tv = (spec: object = {}): KubeObject =>
  object(kinds.SwarmPool, 'tv', { spec: { workers: { targetRef: { name: 'worker' } }, ...spec } }, { generation: 1 });

export const workers = (replicas: number, spec: object = {}): KubeObject =>
  object(kinds.StatefulSet, 'worker', { spec: { replicas, selector: { matchLabels: { app: 'worker' } }, ...spec } });

/** The world of pool tv, among these. */
export async function gathered(objects: readonly KubeObject[]): Promise<PoolWorld> {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock, undefined, {
    before: ({ name }) => {
      // In a URL it would be another path; the client throws.
      if (name !== undefined && !/^[a-z0-9][a-z0-9.-]*$/.test(name)) throw new Error(`asked for ${name}`);
    },
  });
  const asked = new Workers({ clock, onChange: () => undefined });
  const controller = swarmPoolController({ api, clock, workers: asked });
  const subscriptions = controller.subscriptions(() => undefined);
  for (const it of objects) {
    const subscription = subscriptions.find(({ kind }) => kind.kind === it.kind);
    if (subscription === undefined) throw new Error(`${it.kind} is not watched`);
    const created = await api.create(subscription.kind, it);
    const { data: _, ...metadataOnly } = created;
    subscription.onChange({ type: 'ADDED', object: it.kind === 'ConfigMap' ? metadataOnly : created });
  }
  const world = await controller.gather(`${NAMESPACE}/tv`, undefined).finally(() => asked.stop());
  if (world === undefined || !('pool' in world)) throw new Error('there is no such pool');
  return world;
}
