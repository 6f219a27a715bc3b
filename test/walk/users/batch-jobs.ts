// What do users do with batch Jobs: those that wait in a queue by their label, and those that the
// operator has made?
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import type { Random } from '../../sim/random.ts';
import {
  type Action,
  createOne,
  deleteOne,
  drawUser,
  freeName,
  patchOne,
  queueNames,
} from './action.ts';
import { drawCpu, podSpec } from './commands.ts';

const LABEL = 'k8slab.info/queue';
const names = Array.from({ length: 8 }, (_, number) => `b${number}`);
const kind = kinds.Job;

const forgedGrant = (random: Random) => ({
  'k8slab.info/grant': random.pick(['2', '999999999998', String(2 * Date.now())]),
  ...(random.chance(0.5) && { 'k8slab.info/admitted-queue': random.pick(queueNames) }),
});

export const batchJobActions: readonly Action[] = [
  [
    16,
    'create a labelled Job',
    async (world) => {
      const { random, namespace } = world;
      const name = await freeName(world, kind, names);
      if (name === undefined) return undefined;
      const size = random.between(1, 3);
      return createOne(world, kind, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          ...{ name, namespace, labels: { [LABEL]: random.pick(queueNames) } },
          annotations: {
            ...drawUser(world),
            ...(random.chance(0.3) && { 'k8slab.info/priority': String(random.between(-2, 4)) }),
            ...(random.chance(0.1) && forgedGrant(random)),
          },
        },
        spec: {
          suspend: !random.chance(0.1),
          ...{ parallelism: size, completions: size + random.between(0, 2), backoffLimit: 0 },
          ...(random.chance(0.5) && { activeDeadlineSeconds: random.between(5, 40) }),
          ...(random.chance(0.8) && { ttlSecondsAfterFinished: random.between(0, 10) }),
          template: { spec: podSpec(random, drawCpu(random)) },
        },
      });
    },
  ],
  [
    3,
    'scale a Job',
    (w) => patchOne(w, kind, (_, random) => ({ spec: { parallelism: random.between(1, 4) } })),
  ],
  [2, 'suspend a Job', (world) => patchOne(world, kind, () => ({ spec: { suspend: true } }))],
  [
    3,
    'start a Job by hand',
    (world) =>
      patchOne(
        world,
        kind,
        () => ({ spec: { suspend: false } }),
        ({ spec }) => dig(spec, 'suspend') === true,
      ),
  ],
  [
    1,
    "remove a Job's label",
    (world) => patchOne(world, kind, () => ({ metadata: { labels: { [LABEL]: null } } })),
  ],
  [
    2,
    "change a Job's label",
    (world) =>
      patchOne(world, kind, (_, random) => ({
        metadata: { labels: { [LABEL]: random.pick(queueNames) } },
      })),
  ],
  [
    1,
    "change a Job's priority",
    (world) =>
      patchOne(world, kind, (_, random) => ({
        metadata: { annotations: { 'k8slab.info/priority': String(random.between(-2, 12)) } },
      })),
  ],
  [
    2,
    'forge a grant on a Job',
    (world) =>
      patchOne(world, kind, (_, random) => ({
        metadata: { annotations: forgedGrant(random) },
      })),
  ],
  [
    1,
    "change a Job's deadline",
    (world) =>
      patchOne(world, kind, (_, random) => ({
        spec: { activeDeadlineSeconds: random.chance(0.5) ? null : random.between(5, 40) },
      })),
  ],
  [5, 'delete a Job', (world) => deleteOne(world, kind)],
];
