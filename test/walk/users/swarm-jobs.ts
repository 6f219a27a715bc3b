// What do users do with SwarmJobs?
import { kinds } from '../../../src/api/kinds.ts';
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
import { command, drawCpu, graceSpec } from './commands.ts';

const names = Array.from({ length: 12 }, (_, number) => `j${number}`);
const kind = kinds.SwarmJob;

/** A signal before the deadline takes the place of the grace period, which must not be longer. */
const drawSignal = (random: Random): object => ({
  deadlineSignalSeconds: random.between(0, 6),
  ...(random.chance(0.8) && { template: undefined }),
});

const launchers = [
  { start: 'Together' },
  { type: 'Leader' },
  {
    type: 'Leader',
    workerCommand: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'],
  },
  { type: 'Leader', start: 'Separately' },
];

export const swarmJobActions: readonly Action[] = [
  [
    26,
    'create a SwarmJob',
    async (world) => {
      const { random, namespace } = world;
      const name = await freeName(world, kind, names);
      if (name === undefined) return undefined;
      return createOne(world, kind, {
        apiVersion: 'k8slab.info/v1alpha1',
        kind: 'SwarmJob',
        metadata: { name, namespace, annotations: drawUser(world) },
        spec: {
          queueName: random.pick(queueNames),
          size: random.pick([1, 1, 2, 3, 4]),
          image: 'busybox',
          command: command(random),
          resources: { requests: { cpu: drawCpu(random) } },
          template: { spec: graceSpec },
          backoffSeconds: 1,
          retries: { application: random.between(0, 2), other: random.between(0, 10) },
          ...(random.chance(0.5) && { priority: random.between(-2, 4) }),
          ...(random.chance(0.5) && { activeDeadlineSeconds: random.between(2, 30) }),
          ...(random.chance(0.8) && { ttlSecondsAfterFinished: random.between(0, 10) }),
          ...(random.chance(0.4) && { launcher: random.pick<object>(launchers) }),
          suspend: random.chance(0.1),
          ...(random.chance(0.4) && drawSignal(random)),
        },
      });
    },
  ],
  [
    4,
    'edit a SwarmJob',
    (world) =>
      patchOne(world, kind, (_, random) => ({
        spec: random.pick([
          { priority: random.between(-2, 6) },
          { activeDeadlineSeconds: random.between(1, 30) },
          { activeDeadlineSeconds: null },
          { retries: { application: random.between(0, 2), other: random.between(0, 10) } },
          { queueName: random.pick(queueNames) },
          { size: random.between(1, 4) },
          { deadlineSignalSeconds: random.between(0, 6) },
        ]),
      })),
  ],
  [
    5,
    'suspend a SwarmJob',
    (world) =>
      patchOne(world, kind, ({ spec }) =>
        Object(spec).suspend === true ? undefined : { spec: { suspend: true } },
      ),
  ],
  [
    8,
    'resume a SwarmJob',
    (world) =>
      patchOne(
        world,
        kind,
        () => ({ spec: { suspend: false } }),
        ({ spec }) => Object(spec).suspend === true,
      ),
  ],
  [5, 'delete a SwarmJob', (world) => deleteOne(world, kind)],
];
