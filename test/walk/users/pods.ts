// What do users do with pods of jobs?
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import { type Action, patchOne, pickOne, type World, written } from './action.ts';

const kind = kinds.Pod;
const lives = (pod: KubeObject): boolean =>
  !['Succeeded', 'Failed'].includes(String(dig(pod, 'status', 'phase')));

const without = (
  world: World,
  draw: (pod: KubeObject) => object | undefined,
): Promise<string | undefined> => patchOne(world, kind, draw, lives);

const nulls = (names: Readonly<Record<string, string>> | undefined): object =>
  Object.fromEntries(Object.keys(names ?? {}).map((name) => [name, null]));

const ended =
  (end: (world: World, pod: KubeObject) => Promise<unknown>) =>
  async (world: World): Promise<string | undefined> => {
    const pod = await pickOne(world, kind, lives);
    return pod && written(pod.metadata.name, () => end(world, pod));
  };

export const podActions: readonly Action[] = [
  [
    8,
    'delete a pod',
    ended(({ api, namespace }, { metadata: { name } }) => api.delete(kind, { namespace, name })),
  ],
  [
    3,
    'delete a pod at once',
    ended(({ api, namespace }, { metadata: { name } }) =>
      api.delete(kind, { namespace, name }, {}, { gracePeriodSeconds: 0 }),
    ),
  ],
  [
    8,
    'evict a pod',
    ended(({ api, namespace }, { metadata: { name, uid = '' } }) =>
      api.evict({ namespace, name, uid }),
    ),
  ],
  [
    2,
    "remove a pod's owner",
    (world) => without(world, () => ({ metadata: { ownerReferences: null } })),
  ],
  [
    1,
    "remove a pod's labels",
    (world) => without(world, ({ metadata }) => ({ metadata: { labels: nulls(metadata.labels) } })),
  ],
  [
    1,
    "remove a pod's annotations",
    (world) =>
      without(world, ({ metadata }) => ({
        metadata: { annotations: nulls(metadata.annotations) },
      })),
  ],
  [
    1,
    'take a pod out of its queue',
    (world) => without(world, () => ({ metadata: { labels: { 'k8slab.info/queue': null } } })),
  ],
];
