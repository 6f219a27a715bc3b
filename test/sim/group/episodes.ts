// What happens on ordinary days? Each episode is a few actions that belong together: a rollout that
// is stuck, a pause with manual scaling, an autoscaler that scales up. A walk strings some of them.
import type { Random } from '../random.ts';
import type { Placed } from '../story/story.ts';
import { nameAt, namesOf } from './manifests.ts';
import type { GroupAction, GroupMetric, GroupShape } from './story.ts';

export type Steps = readonly (readonly [afterMs: number, action: GroupAction])[];
export type Episode = (shape: GroupShape, random: Random) => Steps;

const anyOf = ({ members }: GroupShape, random: Random): string =>
  nameAt(random.between(0, members - 1));

const anySize = (random: Random): number => random.between(0, 6);

const size = (to: number): GroupAction => ({ do: 'size', to });

const several = (random: Random, least: number, most: number): readonly number[] =>
  Array.from({ length: random.between(least, most) }, (_, index) => index);

const moves = (random: Random, most: number, everyMs: number): Steps =>
  several(random, 2, most).map((index) => [
    index === 0 ? 0 : random.between(1, everyMs),
    size(anySize(random)),
  ]);

const handsOf = (name: string, random: Random): Steps =>
  several(random, 1, 4).map(() => [
    random.between(10, 2_000),
    { do: 'scaleMember', name, to: anySize(random) },
  ]);

/** Longer than the time-out of any story, some of them longer than all its stages. */
const long = (random: Random): number =>
  random.chance(0.6) ? random.between(6_000, 14_000) : random.between(20_000, 45_000);

export const episodes: Readonly<Record<string, Episode>> = {
  'a rollout that is stuck': (shape, random) => {
    const name = anyOf(shape, random);
    const stuck: GroupAction = { do: 'template', name, revision: 'missing' };
    const mended: GroupAction = { do: 'template', name, revision: 'third' };
    const isFirst = random.chance(0.5);
    return [
      [0, isFirst ? stuck : size(anySize(random))],
      [random.between(0, 1_500), isFirst ? size(anySize(random)) : stuck],
      ...(random.chance(0.4)
        ? ([[random.between(500, 9_000), size(anySize(random))]] as const)
        : []),
      [long(random), mended],
    ];
  },
  'a broken service': (shape, random) => [
    [0, { do: 'break', name: anyOf(shape, random), forMs: long(random) }],
    [random.between(0, 1_000), size(anySize(random))],
    ...(random.chance(0.5)
      ? ([[random.between(300, 12_000), size(anySize(random))]] as const)
      : []),
    [long(random), size(anySize(random))],
  ],
  'no room for more': (shape, random) => {
    const name = anyOf(shape, random);
    return [
      [0, { do: 'room', name, pods: random.between(1, 4) }],
      [100, size(random.between(3, 6))],
      [long(random), random.chance(0.5) ? size(anySize(random)) : { do: 'mendPods', name }],
    ];
  },
  'slow pods': (shape, random) => [
    [0, { do: 'slow', name: anyOf(shape, random), byMs: random.between(500, 4_000) }],
    ...moves(random, 3, 3_000),
  ],
  'pods that are gone': (shape, random) => [
    [0, size(anySize(random))],
    [
      random.between(0, 800),
      { do: 'lose', name: anyOf(shape, random), count: random.between(1, 3) },
    ],
  ],
  'a size that moves': (_, random) => moves(random, 9, random.pick([30, 400, 4_000])),
  'hands in a pause': (shape, random) => [
    [0, { do: 'pause' }],
    ...handsOf(anyOf(shape, random), random),
    ...(random.chance(0.5) ? ([[random.between(10, 500), size(anySize(random))]] as const) : []),
    [random.between(100, 8_000), { do: 'resume' }],
  ],
  'an autoscaler of a member': (shape, random) => {
    const of = anyOf(shape, random);
    return [
      [0, { do: 'autoscaler', of }],
      ...handsOf(of, random),
      [random.between(100, 9_000), { do: 'autoscaler' }],
    ];
  },
  'an older group': (shape, random) => {
    const names = namesOf(shape).filter((name) => name !== 'tv' && random.chance(0.5));
    return [
      [0, { do: 'elder', names }],
      ...(random.chance(0.5) ? ([[random.between(0, 2_000), size(anySize(random))]] as const) : []),
      [random.between(500, 9_000), { do: 'elder', names: [] }],
    ];
  },
  'a pool that leads a member': (shape, random) => {
    const of = anyOf(shape, random);
    return [
      [0, { do: 'leader', of }],
      ...handsOf(of, random),
      [random.between(100, 6_000), { do: 'leader' }],
    ];
  },
  'a scale that is refused': (shape, random) => [
    [0, { do: 'quota', name: anyOf(shape, random), forMs: random.between(500, 25_000) }],
    [random.between(0, 1_000), size(anySize(random))],
    ...(random.chance(0.5) ? ([[random.between(100, 6_000), size(anySize(random))]] as const) : []),
  ],
  'an autoscaler of the group': (_, random) => {
    const metric = random.pick<GroupMetric>(['Value', 'AverageValue', 'Utilization']);
    return [
      [0, { do: 'load', to: random.between(5, 60) }],
      [10, { do: 'groupAutoscaler', metric, target: 10, maxReplicas: 6 }],
      [random.between(5_000, 20_000), { do: 'load', to: random.between(5, 60) }],
      [random.chance(0.3) ? 60_000 : long(random), { do: 'groupAutoscaler' }],
    ];
  },
  'an edit in back-off': (shape, random) => [
    [0, { do: 'break', name: anyOf(shape, random), forMs: 30_000 }],
    [100, size(random.between(4, 6))],
    [random.between(6_000, 16_000), edit(shape, random)],
    [long(random), size(anySize(random))],
  ],
  'a member that comes late': (shape, random) => {
    const names = namesOf(shape);
    const others = names.filter((name) => name !== nameAt(shape.members - 1));
    return [
      [0, { do: 'members', names: others }],
      [200, { do: 'scaleMember', name: nameAt(shape.members - 1), to: anySize(random) }],
      [100, { do: 'break', name: nameAt(0), forMs: 20_000 }],
      [100, size(anySize(random))],
      [random.between(100, 12_000), { do: 'members', names }],
    ];
  },
  'a size that is left out': (shape, random) => [
    [0, { do: 'pause' }],
    ...namesOf(shape)
      .filter(() => random.chance(0.5))
      .map((name) => [10, { do: 'scaleMember', name, to: anySize(random) }] as const),
    [1_500, { do: 'spec', patch: { replicas: null } }],
    [random.between(10, 3_000), { do: 'resume' }],
    [random.between(3_000, 9_000), size(anySize(random))],
  ],
  'a sign of the user': (_, random) => [
    [0, { do: 'annotate', name: 'k8slab.info/paused', value: 'yes' }],
    [random.between(100, 9_000), { do: 'annotate', name: 'k8slab.info/paused' }],
  ],
  'a retry that a user asks for': (shape, random) => [
    [0, { do: 'break', name: anyOf(shape, random), forMs: 18_000 }],
    [100, size(random.between(4, 6))],
    [random.between(6_000, 20_000), { do: 'annotate', name: 'k8slab.info/retry', value: 'now' }],
  ],
};

const edit = (shape: GroupShape, random: Random): GroupAction =>
  random.pick<GroupAction>([
    { do: 'member', name: anyOf(shape, random), patch: { maxReplicas: random.between(1, 5) } },
    { do: 'member', name: anyOf(shape, random), patch: { ratio: random.pick(['0.5', 2, '1.1']) } },
    { do: 'spec', patch: { policy: { maxReplicas: random.between(1, 5) } } },
    { do: 'spec', patch: { transition: { timeoutSeconds: 6 } } },
    { do: 'template', name: anyOf(shape, random), revision: 'third' },
    { do: 'deleteMember', name: anyOf(shape, random) },
  ]);

/** One of them; one action after another in time, from a moment on. */
export function episode(
  of: Readonly<Record<string, Episode>>,
  shape: GroupShape,
  random: Random,
  fromMs: number,
): readonly Placed<GroupAction>[] {
  const steps = random.pick(Object.values(of))(shape, random);
  let atMs = fromMs;
  return steps.map(([afterMs, action]) => {
    atMs += afterMs;
    return { ...action, atMs };
  });
}
