// Which states does a group go through? Each is a short story of user actions.
import type { Random } from '../random.ts';
import type { Placed } from '../story/story.ts';
import { memberOf, nameAt, namesOf } from './manifests.ts';
import type { GroupAction, GroupMode, GroupShape, GroupStory } from './story.ts';

export const groupStateNames = [
  'create',
  'members added, removed',
  'member edited',
  'scale up',
  'scale down',
  'to 0 and back',
  'template change',
  'time-out in mid-transition',
  'invalid, then mended',
  'two sizes at once',
  'deleted and re-created',
] as const;
export type GroupStateName = (typeof groupStateNames)[number];

type Part = Pick<GroupStory, 'actions'> & Pick<Partial<GroupStory>, 'startsEmpty'>;

const at = (atMs: number, action: GroupAction): Placed<GroupAction> => ({ ...action, atMs });

const states: Readonly<Record<GroupStateName, (shape: GroupShape, random: Random) => Part>> = {
  create: ({ mode }, random) => {
    const [first, second] = random.chance(0.5)
      ? (['createGroup', 'createMembers'] as const)
      : (['createMembers', 'createGroup'] as const);
    return {
      startsEmpty: true,
      actions: [
        at(0, { do: first }),
        at(random.between(1, 800), { do: second }),
        ...(mode === 'Autoscaler' ? [at(0, { do: 'autoscaler', of: 'm1' } as const)] : []),
      ],
    };
  },
  'members added, removed': (shape, random) => {
    if (shape.mode === 'Selector')
      return {
        actions: [
          at(0, { do: 'relabel', name: nameAt(0), isSelected: false }),
          at(random.between(20, 3_000), { do: 'relabel', name: nameAt(0), isSelected: true }),
        ],
      };
    const names = namesOf(shape);
    return {
      actions: [
        at(0, { do: 'members', names: names.slice(1) }),
        at(random.between(10, 500), { do: 'size', to: shape.size + 1 }),
        at(random.between(600, 3_000), { do: 'members', names }),
      ],
    };
  },
  'member edited': (shape, random) => ({
    actions: [
      at(0, { do: 'size', to: shape.size + 2 }),
      at(random.between(10, 2_000), editOf(shape, random)),
      at(random.between(2_100, 4_000), { do: 'restore' }),
    ],
  }),
  'scale up': ({ size }, random) => ({
    actions: [at(0, { do: 'size', to: size + random.between(1, 3) })],
  }),
  'scale down': ({ size }) => ({ actions: [at(0, { do: 'size', to: size - 1 })] }),
  'to 0 and back': ({ size }, random) => ({
    actions: [
      at(0, { do: 'size', to: 0 }),
      at(random.between(20, 5_000), { do: 'size', to: size }),
    ],
  }),
  'template change': (_, random) => ({
    actions: [
      at(0, { do: 'template', name: nameAt(0), revision: 'second' }),
      at(random.between(0, 300), { do: 'size', to: 3 }),
    ],
  }),
  'time-out in mid-transition': (_, random) => ({
    actions: [
      at(0, {
        do: 'break',
        name: nameAt(random.between(0, 1)),
        forMs: random.between(9_000, 30_000),
      }),
      at(random.between(0, 200), { do: 'size', to: 4 }),
    ],
  }),
  'invalid, then mended': ({ size }, random) => ({
    actions: [
      at(0, { do: 'spec', ...random.pick(mistakes) }),
      at(random.between(20, 800), { do: 'size', to: size + 1 }),
      at(random.between(900, 3_000), { do: 'restore' }),
    ],
  }),
  'two sizes at once': ({ size }, random) => ({
    actions: [
      at(0, { do: 'size', to: size + 2 }),
      at(random.between(0, 30), { do: 'size', to: random.pick([size - 1, size, size + 1]) }),
    ],
  }),
  'deleted and re-created': (_, random) => ({
    actions: [
      at(0, { do: 'size', to: 4 }),
      at(random.between(0, 400), { do: 'deleteGroup' }),
      at(random.between(500, 3_000), { do: 'createGroup' }),
    ],
  }),
};

const editOf = (shape: GroupShape, random: Random): GroupAction =>
  shape.mode === 'Selector'
    ? { do: 'spec', patch: { memberDefaults: { ratio: random.pick([1, 2, '0.25']) } } }
    : {
        do: 'member',
        name: nameAt(0),
        patch: random.pick([
          { ratio: '2.5' },
          { stage: 3 },
          { maxReplicas: 1 },
          { minReplicas: 5 },
        ]),
      };

/** The API server refuses some; only the operator can refuse the others. */
const mistakes: readonly { readonly patch: object; readonly says: string }[] = [
  { patch: { members: [memberOf('m0'), memberOf('m0')] }, says: 'a member twice' },
  { patch: { policy: { minReplicas: 5, maxReplicas: 2 } }, says: 'bounds the wrong way round' },
  { patch: { members: [memberOf('m0'), memberOf('m9')] }, says: 'a member that is not there' },
  { patch: { memberDefaults: { ratio: 0 } }, says: 'a ratio of 0' },
  { patch: { transition: { timeoutSeconds: 0 } }, says: 'no time' },
];

export function groupStoryOf(
  state: GroupStateName,
  mode: GroupMode,
  seed: number,
  random: Random,
): GroupStory {
  const group: GroupShape = { mode, members: random.between(2, 4), size: random.between(1, 3) };
  return { seed, group, hasStandby: false, ...states[state](group, random), faults: [] };
}
