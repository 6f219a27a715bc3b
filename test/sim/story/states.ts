// Which states does a pool go through? Fourteen, each a short story of user actions.
import { streamNames } from '../cluster/manifests.ts';
import type { Random } from '../random.ts';
import type { Action, Mode, Placed, Shape, Story } from './story.ts';
import { address } from './stream-episodes.ts';

export const stateNames = [
  'create',
  'streams added, removed',
  'stream edited',
  'scale up',
  'scale down',
  'to 0 and back',
  'template change',
  'rollback in a rollout',
  'jobs running',
  'invalid, then mended',
  'two edits at once',
  'deleted and re-created',
  'a stream crashes',
  'suspended, resumed',
] as const;
export type StateName = (typeof stateNames)[number];

export const modes: readonly Mode[] = [
  'AtLeastOnce',
  'Exclusive',
  'Restart',
  'Lead',
  'Deployment',
  'LeadExclusive',
  'Shards',
  'Auto',
  'Weights',
];

type Part = Pick<Story, 'actions'> & Partial<Pick<Story, 'startsEmpty' | 'shape'>>;

const at = (atMs: number, action: Action): Placed<Action> => ({ ...action, atMs });

const states: Readonly<Record<StateName, (shape: Shape, random: Random) => Part>> = {
  create: (_, random) => {
    const [first, second] = random.chance(0.5)
      ? (['createPool', 'createTarget'] as const)
      : (['createTarget', 'createPool'] as const);
    return {
      startsEmpty: true,
      actions: [at(0, { do: first }), at(random.between(1, 800), { do: second })],
    };
  },
  'streams added, removed': ({ streams }, random) => ({
    actions: [
      at(0, { do: 'streams', names: streamNames(streams + random.between(1, 3)) }),
      at(random.between(50, 2_500), {
        do: 'streams',
        names: streamNames(streams, random.between(1, 3)),
      }),
    ],
  }),
  'stream edited': (_, random) => ({
    actions: [
      at(0, { do: 'parameter', stream: 's0', value: 'one' }),
      at(random.between(30, 2_000), { do: 'parameter', stream: 's0', value: 'two' }),
    ],
  }),
  'scale up': ({ workers }, random) => ({
    actions: [at(0, { do: 'scale', to: workers + random.between(1, 2) })],
  }),
  'scale down': ({ workers }, random) => ({
    actions: [at(0, { do: 'scale', to: Math.max(1, workers - random.between(1, 2)) })],
  }),
  'to 0 and back': ({ workers }, random) => ({
    actions: [
      at(0, { do: 'scale', to: 0 }),
      at(random.between(50, 5_000), { do: 'scale', to: workers }),
    ],
  }),
  'template change': () => ({ actions: [at(0, { do: 'template', revision: 'second' })] }),
  'rollback in a rollout': (_, random) => ({
    actions: [
      at(0, { do: 'template', revision: 'second' }),
      at(random.between(100, 3_000), { do: 'template', revision: 'first' }),
    ],
  }),
  'jobs running': (shape, random) => ({
    shape: { ...shape, hasFiniteJobs: true },
    actions: [
      ...Array.from({ length: 4 }, () =>
        at(random.between(0, 2_000), {
          do: random.chance(0.5) ? 'endProcess' : 'crashProcess',
          index: random.between(0, 3),
        }),
      ),
      at(500, { do: 'streams', names: streamNames(shape.streams + 1) }),
    ],
  }),
  'invalid, then mended': ({ workers }, random) => ({
    actions: [
      at(0, { do: 'spec', ...random.pick(mistakes) }),
      at(random.between(20, 800), { do: 'scale', to: workers + 1 }),
      at(random.between(900, 3_000), { do: 'restore' }),
    ],
  }),
  'two edits at once': ({ streams, workers }, random) => ({
    actions: [
      at(0, { do: 'streams', names: streamNames(streams + 2) }),
      at(
        random.between(1, 30),
        random.chance(0.5)
          ? { do: 'streams', names: streamNames(streams + 2, 2) }
          : { do: 'scale', to: workers + 1 },
      ),
    ],
  }),
  'deleted and re-created': (_, random) => ({
    actions: [
      ...(random.chance(0.3)
        ? [
            at(0, { do: 'deleteTarget' } as const),
            at(random.between(100, 1_500), { do: 'createTarget' } as const),
          ]
        : []),
      at(random.between(0, 50), { do: 'deletePool' }),
      at(random.between(100, 3_000), { do: 'createPool' }),
    ],
  }),
  'a stream crashes': ({ streams }, random) => ({
    actions: [
      at(0, { do: 'parameter', stream: 's0', value: address(random) }),
      at(random.between(10, 500), { do: 'ail', stream: 's0' }),
      at(random.between(2_000, 4_000), { do: 'streams', names: streamNames(streams + 1) }),
      ...(random.chance(0.5)
        ? [at(random.between(5_000, 8_000), { do: 'heal', stream: 's0' })]
        : []),
    ],
  }),
  'suspended, resumed': (_, random) => ({
    actions: [
      at(0, { do: 'suspend', stream: 's0', isSuspended: true }),
      at(random.between(20, 1_500), { do: 'suspend', stream: 's1', isSuspended: true }),
      at(random.between(30, 2_500), { do: 'suspend', stream: 's0', isSuspended: false }),
    ],
  }),
};

/** The API server refuses some; only the operator can refuse the others. */
const mistakes: readonly { readonly patch: object; readonly says: string }[] = [
  { patch: { workers: { capacity: 0 } }, says: 'a capacity of 0' },
  { patch: { streams: [{ name: 'a' }, { name: 'a' }] }, says: 'a stream twice' },
  {
    patch: { handoff: { type: 'Exclusive' }, assignments: { shards: 2 } },
    says: 'Exclusive with two shards',
  },
  {
    patch: { streamsFrom: [{ configMapKeyRef: { name: 'missing', key: 'list' } }] },
    says: 'a list that is not there',
  },
  {
    patch: { workers: { selector: { matchLabels: { app: 'nobody' } } } },
    says: 'a selector that finds nothing',
  },
  { patch: { assignments: { configMapName: 'elsewhere' } }, says: 'another ConfigMap' },
  { patch: { probe: { httpGet: { port: 'nowhere' } } }, says: 'a port that no container has' },
];

export function storyOf(state: StateName, mode: Mode, seed: number, random: Random): Story {
  const shape: Shape = {
    mode,
    workers: random.between(2, 3),
    streams: random.between(3, 7),
    isOrdered: random.chance(0.3),
  };
  const { actions, ...rest } = states[state](shape, random);
  return { seed, shape, hasStandby: false, ...rest, actions, faults: [] };
}
