// What do administrators do beside queues: ledgers and ResourceQuotas?
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import { type Action, createOne, patchOne, pickOne, type World, written } from './action.ts';

const asAdmin = (world: World): World => ({ ...world, api: world.admin });

const ledgerOf = ({ namespace }: World) => ({
  namespace: 'swarm-operator',
  name: `swarm-ledger-${namespace}`,
});

const resourceQuota = (pods: number) => ({ spec: { hard: { pods: String(pods) } } });

export const adminActions: readonly Action[] = [
  [
    1,
    'delete the ledger',
    (world) => written('', () => world.admin.delete(kinds.ConfigMap, ledgerOf(world))),
  ],
  [
    2,
    'damage the ledger',
    async (world) => {
      const { admin, random } = world;
      const ref = ledgerOf(world);
      const found = await admin.get(kinds.ConfigMap, ref).catch(() => undefined);
      if (found === undefined) return undefined;
      const text = String(dig(found, 'data', 'ledger.json'));
      const damaged = random.pick([
        text.slice(0, text.length / 2),
        '',
        text.replace(/"entries":\[[^\]]*\]/, '"entries":[]'),
        text.replace(/"size":\d/g, '"size":1'),
        text.replace(/"nextGrant":\d+/, '"nextGrant":2'),
      ]);
      const body = { data: { 'ledger.json': damaged } };
      return written(JSON.stringify(damaged.slice(0, 60)), () =>
        admin.patch(kinds.ConfigMap, ref, { type: 'merge', body }),
      );
    },
  ],
  [
    2,
    'create a ResourceQuota',
    (world) =>
      createOne(asAdmin(world), kinds.ResourceQuota, {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'pods', namespace: world.namespace },
        ...resourceQuota(world.random.between(1, 8)),
      }),
  ],
  [
    2,
    'change a ResourceQuota',
    (world) =>
      patchOne(asAdmin(world), kinds.ResourceQuota, (_, r) => resourceQuota(r.between(1, 8))),
  ],
  [
    1,
    'delete a ResourceQuota',
    async (world) => {
      const found = await pickOne(world, kinds.ResourceQuota);
      if (found === undefined) return undefined;
      const { namespace, name } = { ...found.metadata, namespace: world.namespace };
      return written(name, () => world.admin.delete(kinds.ResourceQuota, { namespace, name }));
    },
  ],
];
