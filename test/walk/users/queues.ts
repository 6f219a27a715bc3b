// What do administrators do with queues?
import { kinds } from '../../../src/api/kinds.ts';
import type { Random } from '../../sim/random.ts';
import { type Action, createOne, deleteOne, freeName, patchOne, queueNames } from './action.ts';

export const quotaOf = (random: Random): object => ({
  pods: String(random.between(2, 8)),
  cpu: random.chance(0.5) ? `${100 * random.between(3, 9)}m` : null,
});

const drawPreemption = (random: Random): object => ({
  withinQueue: random.pick(['LowerPriority', 'LowerPriority', 'Never']),
});

const drawMaxPerUser = (random: Random): object => ({ pods: String(random.between(1, 5)) });

const kind = kinds.SwarmQueue;

export const queueActions: readonly Action[] = [
  [
    6,
    'create a SwarmQueue',
    async (world) => {
      const { random, namespace } = world;
      const name = await freeName(world, kind, queueNames);
      if (name === undefined) return undefined;
      return createOne(world, kind, queueObject(namespace, name, random));
    },
  ],
  [4, 'resize a SwarmQueue', (w) => patchOne(w, kind, (_, r) => ({ spec: { quota: quotaOf(r) } }))],
  [
    1,
    'change the order of a SwarmQueue',
    (world) =>
      patchOne(world, kind, (_, random) => ({
        spec: { strategy: random.pick(['StrictFIFO', 'BestEffort']) },
      })),
  ],
  [
    2,
    'pause or resume a SwarmQueue',
    (world) => patchOne(world, kind, (_, random) => ({ spec: { paused: random.chance(0.3) } })),
  ],
  [
    1,
    'change the priorities that a SwarmQueue allows',
    (w) => patchOne(w, kind, (_, random) => ({ spec: { maxPriority: random.between(1, 10) } })),
  ],
  [
    1,
    'change the deadlines that a SwarmQueue allows',
    (world) =>
      patchOne(world, kind, (_, random) => ({
        spec: {
          maxActiveDeadlineSeconds: random.chance(0.7) ? null : random.between(5, 60),
          jobDefaults: { activeDeadlineSeconds: random.chance(0.5) ? null : 5 },
        },
      })),
  ],
  [
    2,
    'change whether a SwarmQueue lets urgent jobs take the place of others',
    (w) => patchOne(w, kind, (_, random) => ({ spec: { preemption: drawPreemption(random) } })),
  ],
  [
    2,
    'change what one user may have of a SwarmQueue',
    (world) =>
      patchOne(world, kind, (_, random) => ({
        spec: { maxPerUser: random.chance(0.5) ? null : drawMaxPerUser(random) },
      })),
  ],
  [1, 'delete a SwarmQueue', (world) => deleteOne(world, kind)],
];

export const queueObject = (namespace: string, name: string, random: Random) => {
  const { cpu, pods } = Object(quotaOf(random));
  return {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmQueue',
    metadata: { name, namespace },
    spec: {
      quota: { pods, ...(cpu !== null && { cpu }) },
      strategy: random.pick(['StrictFIFO', 'BestEffort']),
      maxPriority: random.between(3, 10),
      preemption: drawPreemption(random),
      ...(random.chance(0.3) && { maxPerUser: drawMaxPerUser(random) }),
    },
  };
};
