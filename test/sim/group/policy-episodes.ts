// What happens where users let a policy decide, and members say of themselves how they scale? Each
// episode is a few actions that belong together, some of them mistakes.
import type { Random } from '../random.ts';
import type { Episode, Steps } from './episodes.ts';
import { nameAt } from './manifests.ts';
import { atRandom, boundedBy, manual, type Schedule, scheduled } from './policies.ts';
import type { GroupAction, GroupShape } from './story.ts';

/** When walks begin: in an ordinary night, or half a minute before a clock changes. */
export const starts = {
  ordinary: '2026-01-01T00:00:30Z',
  'end of a February': '2026-02-28T23:59:30Z',
  'Berlin, March': '2026-03-29T00:59:30Z',
  'Berlin, October': '2026-10-25T00:59:30Z',
  'Berlin, October, an hour later': '2026-10-25T01:59:30Z',
  'New York, March': '2026-03-08T06:59:30Z',
  'New York, November': '2026-11-01T05:59:30Z',
  'Lord Howe, April': '2026-04-04T14:59:30Z',
  'Lord Howe, October': '2026-10-03T15:29:30Z',
} as const;

const zones = [
  'Europe/Berlin',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'UTC',
];

/** Due within two minutes of some start, by the clock of some zone. */
const lines = [
  '* * * * *',
  '*/2 * * * *',
  '1-59/2 * * * *',
  '0 * * * *',
  '1 * * * *',
  '30 * * * *',
  '31 1,2 * * *',
  '30 2 * * *',
  '0 2,3 * * *',
  '59 1,2 * * *',
  '*/15 1-3 * * *',
  '0 0 1 * *',
  '0 0 L * *',
  '1 0 * * SUN,THU',
  '0 20 * * 1-5',
];

const wrong: readonly Schedule[] = [
  { schedule: '60 * * * *' },
  { schedule: '0 24 * * *' },
  { schedule: '*/0 * * * *' },
  { schedule: '0 0 30 2 *' },
  { schedule: '0 0 * * 8' },
  { schedule: '0 0 * * *', timeZone: 'Middle/Earth' },
];

const lineIn = (random: Random): Pick<Schedule, 'schedule' | 'timeZone'> => ({
  schedule: random.pick(lines),
  ...(random.chance(0.8) && { timeZone: random.pick(zones) }),
});

const several = <T>(random: Random, least: number, most: number, one: () => T): readonly T[] =>
  Array.from({ length: random.between(least, most) }, one);

const sizesIn = (random: Random): readonly Schedule[] =>
  several(random, 1, 4, () => ({ ...lineIn(random), replicas: random.between(0, 6) }));

const boundsIn = (random: Random): readonly Schedule[] =>
  several(random, 1, 3, () => ({
    ...lineIn(random),
    ...random.pick([
      { minReplicas: random.between(1, 6) },
      { maxReplicas: random.between(1, 6) },
      { minReplicas: 2, maxReplicas: random.between(2, 4) },
    ]),
  }));

const anyOf = ({ members }: GroupShape, random: Random): string =>
  nameAt(random.between(0, members - 1));

const size = (random: Random): GroupAction => ({ do: 'size', to: random.between(0, 6) });

const edge = (random: Random): object => ({
  periodSeconds: random.pick([5, 5, 6, 9]),
  ...(random.chance(0.4) && { minReplicas: random.between(0, 2) }),
  maxReplicas: random.between(2, 6),
});

/** Something else in between. */
const between = (shape: GroupShape, random: Random): GroupAction => {
  const name = anyOf(shape, random);
  return random.pick<GroupAction>([
    size(random),
    { do: 'restartOperator' },
    { do: 'restartOperator' },
    { do: 'pause' },
    { do: 'resume' },
    { do: 'break', name, forMs: random.between(6_000, 20_000) },
    { do: 'room', name, pods: random.between(1, 4) },
    { do: 'template', name, revision: random.pick(['second', 'missing']) },
    { do: 'quota', name, forMs: random.between(500, 9_000) },
    { do: 'scaleMember', name, to: random.between(0, 6) },
    { do: 'spec', patch: { policy: { periodSeconds: random.between(5, 9) } } },
    { do: 'spec', patch: { policy: { maxReplicas: random.between(2, 6) } } },
    { do: 'spec', patch: { policy: { minReplicas: random.between(0, 2) } } },
    { do: 'groupAutoscaler', metric: 'AverageValue', target: 10, maxReplicas: 6 },
  ]);
};

const someBetween = (shape: GroupShape, random: Random, everyMs: number): Steps =>
  several(random, 0, 3, () => [random.between(100, everyMs), between(shape, random)] as const);

const says = (name: string, field: string, value: string | null): GroupAction => ({
  ...{ do: 'annotateMember', name, annotations: { [`k8slab.info/${field}`]: value } },
});

const words: readonly (readonly [
  field: string,
  right: readonly string[],
  wrong: readonly string[],
])[] = [
  [
    'ratio',
    ['1', '2', '0.5', '1.0', '0.333333333'],
    ['0', '-1', 'half', '1e1', '', '0.1234567891'],
  ],
  ['stage', ['0', '1', '2', '7'], ['100', '-1', 'first', '1.5']],
  ['min-replicas', ['0', '1', '2'], ['9', 'none', '-1']],
  ['max-replicas', ['2', '4', '8'], ['many', '1.5']],
  ['ready-fraction', ['0.5', '0.9', '1'], ['0', '1.1', '50%']],
];

function word(name: string, random: Random, wrongs = 0.2): GroupAction {
  const [field, right, mistakes] = random.pick(words);
  const value = random.pick(random.chance(wrongs) ? mistakes : right);
  return says(name, field, random.chance(0.15) ? null : value);
}

const asSelected = (random: Random): GroupAction => ({
  do: 'spec',
  patch: { members: null, selector: { matchLabels: { shop: 'yes' } }, ...transition(random) },
});

const transition = (random: Random): object => ({
  transition: {
    order: random.pick(['Staged', 'Together']),
    onTimeout: random.pick(['Rollback', 'Keep']),
    timeoutSeconds: random.between(3, 6),
  },
});

/** Longer than the time-out of any story. */
const long = (random: Random): number => random.between(6_000, 20_000);

export const policyEpisodes: Readonly<Record<string, Episode>> = {
  'sizes at random': (shape, random) => {
    const seed = random.between(0, 9);
    return [
      [0, atRandom(seed, edge(random))],
      ...someBetween(shape, random, 9_000),
      ...(random.chance(0.3)
        ? ([[long(random), atRandom(random.pick([seed, seed + 1]), edge(random))]] as const)
        : []),
      ...someBetween(shape, random, 6_000),
      [random.between(6_000, 30_000), manual()],
    ];
  },
  'a timetable': (shape, random) => [
    [0, scheduled(sizesIn(random))],
    ...someBetween(shape, random, 15_000),
    [random.between(20_000, 70_000), random.chance(0.5) ? manual() : scheduled(sizesIn(random))],
  ],
  'bounds that move': (shape, random) => [
    [0, size(random)],
    [100, boundedBy(boundsIn(random), random.chance(0.3) ? { maxReplicas: 6 } : {})],
    ...someBetween(shape, random, 15_000),
    [random.between(20_000, 70_000), random.chance(0.5) ? manual() : size(random)],
  ],
  'bounds that move under sizes at random': (shape, random) => {
    const schedules = boundsIn(random).map((it, index) => ({ name: `s${index}`, ...it }));
    return [
      [0, atRandom(random.between(0, 9), { schedules })],
      ...someBetween(shape, random, 15_000),
      [random.between(20_000, 50_000), manual()],
    ];
  },
  'a line that is wrong': (shape, random) => {
    const mistake = random.pick(wrong);
    const isOfSize = random.chance(0.5);
    return [
      [0, isOfSize ? scheduled(sizesIn(random)) : size(random)],
      [
        random.between(100, 6_000),
        isOfSize
          ? scheduled([...sizesIn(random), { ...mistake, replicas: 3 }])
          : boundedBy([...boundsIn(random), { ...mistake, maxReplicas: 3 }]),
      ],
      ...someBetween(shape, random, 4_000),
      [random.between(1_000, 12_000), manual()],
    ];
  },
  'members that speak for themselves': (shape, random) => {
    const name = anyOf(shape, random);
    return [
      [0, asSelected(random)],
      ...several(random, 1, 5, () => [10, word(anyOf(shape, random), random, 0.1)] as const),
      [random.between(100, 4_000), size(random)],
      ...several(
        random,
        1,
        3,
        () => [random.between(10, 1_500), word(anyOf(shape, random), random)] as const,
      ),
      ...someBetween(shape, random, 4_000),
      [long(random), size(random)],
      [10, word(name, random)],
    ];
  },
  'a member that says something wrong': (shape, random) => {
    const name = anyOf(shape, random);
    const [field, right, mistakes] = random.pick(words);
    return [
      [0, asSelected(random)],
      [random.between(10, 3_000), size(random)],
      [random.between(0, 2_000), says(name, field, random.pick(mistakes))],
      ...someBetween(shape, random, 4_000),
      [long(random), says(name, field, random.chance(0.5) ? random.pick(right) : null)],
    ];
  },
  'a part that is enough': (shape, random) => {
    const name = anyOf(shape, random);
    const readyFraction = random.pick(['0.5', '0.75', '0.9', '1.0', 1]);
    return [
      [
        0,
        random.chance(0.5)
          ? { do: 'member', name, patch: { readyFraction } }
          : { do: 'spec', patch: { memberDefaults: { readyFraction }, ...transition(random) } },
      ],
      [10, { do: 'room', name, pods: random.between(1, 4) }],
      [random.between(10, 2_000), size(random)],
      ...someBetween(shape, random, 6_000),
      [long(random), random.chance(0.5) ? { do: 'mendPods', name } : size(random)],
    ];
  },
  'a rollback by stages': (shape, random) => [
    [
      0,
      {
        do: 'spec',
        patch: { transition: { order: 'Staged', onTimeout: 'Rollback', timeoutSeconds: 5 } },
      },
    ],
    [10, { do: 'size', to: random.between(0, 2) }],
    [random.between(3_000, 8_000), { do: 'room', name: anyOf(shape, random), pods: 2 }],
    [10, { do: 'size', to: random.between(4, 6) }],
    ...(random.chance(0.3) ? ([[6_000, between(shape, random)]] as const) : []),
    [long(random), size(random)],
  ],
};
