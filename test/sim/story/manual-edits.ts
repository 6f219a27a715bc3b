// What do users do by hand to objects of the operator? They edit, spoil and delete them, and remove
// their labels.
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asRecord, type KubeObject } from '../../../src/api/objects.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_OUTDATED,
  changeOf,
  LABEL_POOL,
} from '../../../src/pool/publish/config-map.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { NAMESPACE, poolRef } from '../cluster/manifests.ts';
import type { PoolSimWorld } from '../pool-world.ts';
import type { Random } from '../random.ts';

type ManualEdit = {
  readonly says: string;
  readonly how: (world: PoolSimWorld, configMap: KubeObject, random: Random) => void;
};

const patch =
  (body: (configMap: KubeObject) => object) =>
  ({ server }: PoolSimWorld, configMap: KubeObject): void =>
    void server.merge(kinds.ConfigMap, configMap.metadata, body(configMap));

const withText = (change: (text: string) => string | null) =>
  patch(({ data }) => ({
    data: Object.fromEntries(
      Object.entries(asRecord(data) ?? {}).map(([key, text]) => [key, change(String(text))]),
    ),
  }));

const manualEdits: readonly ManualEdit[] = [
  {
    says: 'deletes the ConfigMap',
    how: ({ server }, { metadata }) => server.remove(kinds.ConfigMap, metadata),
  },
  {
    says: 'empties the ConfigMap',
    how: patch(({ data }) => ({
      data: Object.fromEntries(Object.keys(asRecord(data) ?? {}).map((key) => [key, null])),
    })),
  },
  { says: 'writes nonsense into the ConfigMap', how: withText(() => 'workloads: [') },
  {
    says: 'takes a stream out of the ConfigMap',
    how: withText((text) => text.replace(/^ +- s\d+\n/m, '')),
  },
  {
    says: 'puts a stream in twice',
    how: withText((text) => text.replace(/^( +- s\d+\n)/m, '$1$1')),
  },
  { says: 'restores an older ConfigMap', how: restoreOlder },
  {
    says: 'takes labels and annotations off',
    // With the note of the last change removed as well, the ConfigMap would count as another
    // owner's, and the operator would leave it alone.
    how: (world, configMap) => {
      if (changeOf({ annotations: configMap.metadata.annotations ?? {} }) === undefined) return;
      patch(() => ({
        metadata: { labels: { [LABEL_POOL]: null }, annotations: { [ANNOTATION_OUTDATED]: null } },
      }))(world, configMap);
    },
  },
  {
    says: 'spoils the note of the last change',
    how: patch(() => ({ metadata: { annotations: { [ANNOTATION_CHANGE]: 'x' } } })),
  },
  { says: "takes a pod's annotation away", how: annotatePod(null) },
  { says: "spoils a pod's annotation", how: annotatePod('{"version":') },
  {
    says: 'deletes the status',
    how: ({ server }) =>
      void server.replace(
        kinds.SwarmPool,
        { ...server.get(kinds.SwarmPool, poolRef), status: {} },
        'status',
      ),
  },
];

export function editByHand(world: PoolSimWorld, random: Random, how?: string): void {
  const configMaps = world.server
    .all({ kind: kinds.ConfigMap, namespace: NAMESPACE })
    .filter(({ metadata }) => metadata.labels?.[LABEL_POOL] !== undefined);
  if (configMaps.length === 0) return;
  const hand = manualEdits.find(({ says }) => says === how) ?? random.pick(manualEdits);
  world.isEditedByHand = true;
  world.record(`user edit: ${hand.says}`);
  try {
    hand.how(world, random.pick(configMaps), random);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
  }
}

function restoreOlder({ server }: PoolSimWorld, { metadata }: KubeObject, random: Random): void {
  const earlier = server
    .history({ kind: kinds.ConfigMap })
    .filter(({ event }) => event.type !== 'DELETED' && event.object.metadata.name === metadata.name)
    .map(({ event }) => event.object);
  const { data, metadata: was } = random.pick(earlier);
  server.merge(kinds.ConfigMap, metadata, { data, metadata: { annotations: was.annotations } });
}

function annotatePod(text: string | null) {
  return ({ server }: PoolSimWorld, _: KubeObject, random: Random): void => {
    const pods = server.all({ kind: kinds.Pod, namespace: NAMESPACE });
    if (pods.length > 0)
      server.merge(kinds.Pod, random.pick(pods).metadata, {
        metadata: { annotations: { [ASSIGNED_ANNOTATION]: text } },
      });
  };
}
