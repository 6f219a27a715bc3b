// Which ordinary days does a group have to stand? Each is a short story, and says which oracles see
// that something is wrong. Row: of the table that they were first met in.
import type { Placed } from '../story/story.ts';
import { mends } from './mends.ts';
import type { GroupAction, GroupMode, GroupShape, GroupStory, MemberRules } from './story.ts';

export type Day = {
  readonly row: number;
  readonly says: string;
  /** Any of them sees it. */
  readonly shows: readonly string[];
  readonly story: GroupStory;
};

type Told = Pick<Day, 'row' | 'says' | 'shows'> & {
  readonly mode: GroupMode;
  readonly size: number;
  /** Left out, two of ratio 1. */
  readonly rules?: readonly MemberRules[];
  readonly shape?: Partial<GroupShape>;
  readonly actions: readonly Placed<GroupAction>[];
  /** When all is mended. */
  readonly endsMs: number;
};

/** At first the group is at rest for a while. */
const RESTS_MS = 2_000;

const at = (seconds: number, action: GroupAction): Placed<GroupAction> => ({
  ...action,
  atMs: RESTS_MS + Math.round(seconds * 1_000),
});

const same = (count: number): readonly MemberRules[] =>
  Array.from({ length: count }, () => ({ ratio: 1, stage: 0 }));

const inStages = (count: number): readonly MemberRules[] =>
  Array.from({ length: count }, (_, stage) => ({ ratio: 1, stage }));

function dayOf({ row, says, shows, mode, size, shape, actions, endsMs, ...told }: Told): Day {
  const { rules = same(2) } = told;
  const group: GroupShape = { mode, size, rules, members: rules.length, ...shape };
  const ends = mends(group, () => RESTS_MS + endsMs);
  const story = { seed: row, group, hasStandby: false, actions: [...actions, ...ends], faults: [] };
  return { row, says, shows, story };
}

const hands = (from: number, sizes: readonly number[], name = 'm0'): Placed<GroupAction>[] =>
  sizes.map((to, index) => at(from + index, { do: 'scaleMember', name, to }));

const sizes = (from: number, every: number, all: readonly number[]): Placed<GroupAction>[] =>
  all.map((to, index) => at(from + index * every, { do: 'size', to }));

export const days: readonly Day[] = [
  dayOf({
    row: 1,
    says: 'a rollback ends, though the image of a member is not there',
    shows: ['time-out', 'goes back'],
    ...{ mode: 'StagedRollback', size: 2, rules: inStages(3), endsMs: 45_000 },
    actions: [
      at(0, { do: 'template', name: 'm2', revision: 'missing' }),
      at(1, { do: 'size', to: 4 }),
    ],
  }),
  dayOf({
    row: 2,
    says: 'a ratio of seven decimals is exact',
    shows: ['one size', 'prompt', 'targets'],
    ...{ mode: 'Together', size: 2, endsMs: 20_000 },
    rules: [{ ratio: 1 }, { ratio: '0.0333333' }],
    actions: [at(0, { do: 'size', to: 30 })],
  }),
  ...(['Value', 'AverageValue', 'Utilization'] as const).map((metric) =>
    dayOf({
      row: 3,
      says: `an autoscaler by ${metric} finds the size for its load`,
      shows: ['selector', 'size told', 'load'],
      ...{ mode: 'Together', size: 2, endsMs: 210_000 },
      rules: [{ ratio: 1 }, { ratio: '1.5' }, { ratio: '0.5' }],
      actions: [
        at(0, { do: 'load', to: 40 }),
        at(0.1, { do: 'groupAutoscaler', metric, target: 10, maxReplicas: 12 }),
        at(60, { do: 'load', to: 100 }),
        at(120, { do: 'load', to: 20 }),
      ],
    }),
  ),
  dayOf({
    row: 4,
    says: 'members that recover late are told of as recovered, and a restart as a rollout',
    shows: ['recovered'],
    ...{ mode: 'Together', size: 2, endsMs: 45_000 },
    actions: [
      at(0, { do: 'break', name: 'm0', forMs: 14_000 }),
      at(0.2, { do: 'size', to: 4 }),
      at(22, { do: 'slow', name: 'm0', byMs: 5_000 }),
      at(23, { do: 'template', name: 'm0', revision: 'second' }),
    ],
  }),
  dayOf({
    row: 5,
    says: 'a broken service is scaled down without its pods being Ready',
    shows: ['completes', 'true end'],
    ...{ mode: 'Rollback', size: 6, endsMs: 40_000 },
    actions: [at(0, { do: 'break', name: 'm0', forMs: 38_000 }), at(1, { do: 'size', to: 3 })],
  }),
  dayOf({
    row: 6,
    says: 'a hand that scales during a pause has no part in a conflict',
    shows: ['accused'],
    ...{ mode: 'Together', size: 2, endsMs: 20_000 },
    actions: [
      at(0, { do: 'pause' }),
      ...hands(1, [5, 3, 6, 4]),
      at(6, { do: 'resume' }),
      at(7, { do: 'size', to: 3 }),
    ],
  }),
  dayOf({
    row: 6,
    says: 'an autoscaler of a member that is removed has no part in a conflict',
    shows: ['accused'],
    ...{ mode: 'Together', size: 2, endsMs: 20_000 },
    actions: [
      at(0, { do: 'autoscaler', of: 'm0' }),
      ...hands(1, [5, 3, 6, 4]),
      at(6, { do: 'autoscaler' }),
    ],
  }),
  dayOf({
    row: 6,
    says: 'an older group that had a member for a while has no part in a conflict',
    shows: ['accused'],
    ...{ mode: 'Together', size: 4, endsMs: 30_000 },
    actions: [0, 5, 10].flatMap((from) => [
      at(from, { do: 'elder', names: ['m0'] } as const),
      at(from + 2.5, { do: 'elder', names: [] } as const),
    ]),
  }),
  dayOf({
    row: 6,
    says: 'a pool that led a member for a while has no part in a conflict',
    shows: ['accused'],
    ...{ mode: 'Together', size: 2, endsMs: 20_000 },
    actions: [
      at(0, { do: 'leader', of: 'm1' }),
      ...hands(1, [5, 3, 6, 4], 'm1'),
      at(6, { do: 'leader' }),
    ],
  }),
  dayOf({
    row: 6,
    says: 'the conflict about a pool names the field of a pool',
    shows: ['names the field'],
    ...{ mode: 'Pool', size: 2, endsMs: 30_000 },
    actions: [0, 5, 10, 15].map((from, index) =>
      at(from, { do: 'scaleMember', name: 'tv', to: 4 + (index % 2) } as const),
    ),
  }),
  ...(
    [
      ['the bound of a member', { do: 'member', name: 'm1', patch: { maxReplicas: 1 } }],
      ['the list of members', { do: 'members', names: ['m0', 'm1', 'm2'] }],
      ['the time-out', { do: 'spec', patch: { transition: { timeoutSeconds: 6 } } }],
      ['the template of a member', { do: 'template', name: 'm0', revision: 'second' }],
    ] as const satisfies readonly (readonly [string, GroupAction])[]
  ).map(([what, edit]) =>
    dayOf({
      row: 7,
      says: `a size that waits is tried at once when ${what} was edited`,
      shows: ['edit in back-off'],
      ...{ mode: 'Rollback', size: 2, rules: same(3), endsMs: 60_000 },
      shape: { retryAfterSeconds: 120 },
      actions: [
        at(0, { do: 'members', names: ['m0', 'm1'] }),
        at(0, { do: 'room', name: 'm0', pods: 3 }),
        at(1, { do: 'size', to: 4 }),
        at(25, edit),
      ],
    }),
  ),
  dayOf({
    row: 8,
    says: 'a climb goes back to the last size that was reached',
    shows: ['goes back'],
    ...{ mode: 'Rollback', size: 2, endsMs: 45_000 },
    shape: { retryAfterSeconds: 60 },
    actions: [
      at(0, { do: 'room', name: 'm0', pods: 6 }),
      at(0, { do: 'slow', name: 'm0', byMs: 2_000 }),
      ...sizes(0.1, 1.6, [4, 6, 8]),
    ],
  }),
  dayOf({
    row: 8,
    says: 'a size that moves all the time times out without progress',
    shows: ['time-out'],
    ...{ mode: 'Together', size: 2, endsMs: 45_000 },
    actions: [
      at(0, { do: 'break', name: 'm0', forMs: 44_000 }),
      at(0, { do: 'break', name: 'm1', forMs: 44_000 }),
      ...sizes(0.1, 3, [4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5]),
    ],
  }),
  dayOf({
    row: 8,
    says: 'a size that moves all the time times out for one member, though others follow it',
    shows: ['time-out'],
    ...{ mode: 'Together', size: 2, endsMs: 45_000 },
    actions: [
      at(0, { do: 'break', name: 'm0', forMs: 44_000 }),
      ...sizes(0.1, 3, [4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5]),
    ],
  }),
  dayOf({
    row: 9,
    says: 'a member that is added in a rollback follows the size that the group ends at',
    shows: ['goes back', 'one size', 'true status'],
    ...{ mode: 'Rollback', size: 2, rules: same(3), endsMs: 50_000 },
    shape: { retryAfterSeconds: 60 },
    actions: [
      at(0, { do: 'members', names: ['m0', 'm1'] }),
      at(0.1, { do: 'scaleMember', name: 'm2', to: 1 }),
      at(0.2, { do: 'break', name: 'm1', forMs: 48_000 }),
      at(1, { do: 'size', to: 4 }),
      at(8, { do: 'members', names: ['m0', 'm1', 'm2'] }),
    ],
  }),
  dayOf({
    row: 10,
    says: 'a size that failed waits, though another one was wanted meanwhile',
    shows: ['back-off'],
    ...{ mode: 'Rollback', size: 2, endsMs: 40_000 },
    shape: { retryAfterSeconds: 30 },
    actions: [
      at(0, { do: 'room', name: 'm0', pods: 4 }),
      at(0.5, { do: 'size', to: 5 }),
      at(12, { do: 'size', to: 4 }),
      at(12.1, { do: 'size', to: 5 }),
    ],
  }),
  dayOf({
    row: 11,
    says: 'a transition that was paused has no time',
    shows: ['times'],
    ...{ mode: 'Together', size: 2, endsMs: 25_000 },
    actions: [at(0, { do: 'pause' }), at(1, { do: 'size', to: 4 }), at(12, { do: 'resume' })],
  }),
  dayOf({
    row: 11,
    says: 'an annotation that pauses nothing is told',
    shows: ['annotation'],
    ...{ mode: 'Together', size: 2, endsMs: 12_000 },
    actions: [at(0, { do: 'annotate', name: 'k8slab.info/paused', value: 'yes' })],
  }),
  dayOf({
    row: 12,
    says: 'a rollback restores no mixture of two sizes',
    shows: ['goes back'],
    ...{ mode: 'Rollback', size: 2, endsMs: 70_000 },
    shape: { retryAfterSeconds: 120 },
    actions: [
      at(0, { do: 'room', name: 'm1', pods: 3 }),
      at(0.1, { do: 'quota', name: 'm1', forMs: 3_000 }),
      // The second comes before status has anything of the first.
      at(0.2, { do: 'size', to: 4 }),
      at(0.21, { do: 'size', to: 6 }),
    ],
  }),
  dayOf({
    row: 13,
    says: 'an older group that is blocked holds nothing',
    shows: ['accused', 'prompt'],
    ...{ mode: 'Together', size: 2, endsMs: 20_000 },
    actions: [at(0, { do: 'crowd' }), at(1, { do: 'size', to: 4 })],
  }),
  dayOf({
    row: 14,
    says: 'without a free member nothing is completed',
    shows: ['no member'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000 },
    actions: [
      at(0, { do: 'break', name: 'm0', forMs: 10_000 }),
      at(0.5, { do: 'size', to: 4 }),
      at(3, { do: 'elder', names: ['m0', 'm1'] }),
    ],
  }),
  dayOf({
    row: 15,
    says: 'a size that is left out is not taken over from a first member at 0',
    shows: ['taken over', 'left out'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000 },
    actions: leftOut(0, 3),
  }),
  dayOf({
    row: 15,
    says: 'a size that is left out is not taken over where it would change the first member',
    shows: ['taken over', 'left out'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000, rules: [{ ratio: 2 }, { ratio: 1 }] },
    actions: leftOut(3, 2),
  }),
  dayOf({
    row: 15,
    says: 'a size that is left out is taken over where it changes no member',
    shows: ['taken over', 'left out'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000, rules: [{ ratio: 1 }, { ratio: '1.5' }] },
    actions: leftOut(5, 8),
  }),
  dayOf({
    row: 16,
    says: 'a scale that the API server refuses is told with its words',
    shows: ['refused'],
    ...{ mode: 'Together', size: 2, rules: same(3), endsMs: 45_000 },
    actions: [at(0, { do: 'quota', name: 'm0', forMs: 20_000 }), at(0.5, { do: 'size', to: 4 })],
  }),
  dayOf({
    row: 16,
    says: 'later stages wait for a member whose scale is refused',
    shows: ['refused', 'stages'],
    ...{ mode: 'Staged', size: 2, rules: inStages(3), endsMs: 45_000 },
    actions: [at(0, { do: 'quota', name: 'm0', forMs: 20_000 }), at(0.5, { do: 'size', to: 4 })],
  }),
];

/** Two members get these replicas in a pause, and the group's size is left out. */
function leftOut(first: number, second: number): readonly Placed<GroupAction>[] {
  return [
    at(0, { do: 'pause' }),
    at(1, { do: 'scaleMember', name: 'm0', to: first }),
    at(1, { do: 'scaleMember', name: 'm1', to: second }),
    at(2, { do: 'spec', patch: { replicas: null } }),
    at(4, { do: 'resume' }),
  ];
}
