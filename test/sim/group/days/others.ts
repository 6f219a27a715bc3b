// Which days are about others that scale a member, or that refuse to?
import type { Placed } from '../../story/story.ts';
import type { GroupAction } from '../story.ts';
import { at, type Day, dayOf, inStages, same } from './day.ts';

const hands = (from: number, sizes: readonly number[], name = 'm0'): Placed<GroupAction>[] =>
  sizes.map((to, index) => at(from + index, { do: 'scaleMember', name, to }));

export const daysOfOthers: readonly Day[] = [
  dayOf({
    row: 6,
    says: 'manual scaling during a pause causes no conflict',
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
    says: 'an autoscaler that is removed from a member causes no conflict',
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
    says: 'an older group that had a member for a while causes no conflict',
    shows: ['accused'],
    ...{ mode: 'Together', size: 4, endsMs: 30_000 },
    actions: [0, 5, 10].flatMap((from) => [
      at(from, { do: 'elder', names: ['m0'] } as const),
      at(from + 2.5, { do: 'elder', names: [] } as const),
    ]),
  }),
  dayOf({
    row: 6,
    says: 'a pool that led a member for a while causes no conflict',
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
  dayOf({
    row: 13,
    says: 'an older group that is blocked keeps no member from a younger one',
    shows: ['accused', 'prompt'],
    ...{ mode: 'Together', size: 2, endsMs: 20_000 },
    actions: [at(0, { do: 'crowd' }), at(1, { do: 'size', to: 4 })],
  }),
  dayOf({
    row: 16,
    says: 'status shows the message of a scale that the API server refuses',
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
  dayOf({
    row: 26,
    says: 'a group reverts a broken member that a user scaled, and does not wait for it',
    shows: ['completes'],
    ...{ mode: 'Together', size: 2, endsMs: 45_000 },
    actions: [
      at(0, { do: 'size', to: 5 }),
      at(5, { do: 'break', name: 'm0', forMs: 38_000 }),
      ...hands(15, [6]),
    ],
  }),
];
