// Which days are about sizes that are not reached: pods that do not come, rollbacks and back-off?
import type { Placed } from '../../story/story.ts';
import type { GroupAction } from '../story.ts';
import { at, type Day, dayOf, inStages, same } from './day.ts';

const sizes = (from: number, every: number, all: readonly number[]): Placed<GroupAction>[] =>
  all.map((to, index) => at(from + index * every, { do: 'size', to }));

export const daysOfFailures: readonly Day[] = [
  dayOf({
    row: 1,
    says: 'a rollback ends although the image of a member does not exist',
    shows: ['time-out', 'goes back'],
    ...{ mode: 'StagedRollback', size: 2, rules: inStages(3), endsMs: 45_000 },
    actions: [
      at(0, { do: 'template', name: 'm2', revision: 'missing' }),
      at(1, { do: 'size', to: 4 }),
    ],
  }),
  dayOf({
    row: 4,
    says: 'members that recover late count as recovered, and a restart as a rollout',
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
    says: 'a broken member is scaled down although its pods are not Ready',
    shows: ['completes', 'true end'],
    ...{ mode: 'Rollback', size: 6, endsMs: 40_000 },
    actions: [at(0, { do: 'break', name: 'm0', forMs: 38_000 }), at(1, { do: 'size', to: 3 })],
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
      says: `a failed size is tried at once when ${what} was edited`,
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
    says: 'a failed scale-up goes back to the last size that was reached',
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
    says: 'a size that changes all the time times out without progress',
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
    says: 'a size that changes all the time times out for one member, though others follow it',
    shows: ['time-out'],
    ...{ mode: 'Together', size: 2, endsMs: 45_000 },
    actions: [
      at(0, { do: 'break', name: 'm0', forMs: 44_000 }),
      ...sizes(0.1, 3, [4, 5, 4, 5, 4, 5, 4, 5, 4, 5, 4, 5]),
    ],
  }),
  dayOf({
    row: 9,
    says: 'a member that is added in a rollback gets the size at which the group ends',
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
    says: 'a failed size waits although another size was set in between',
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
    row: 25,
    says: 'a failed size waits although the API server refuses to scale a member back',
    shows: ['back-off'],
    ...{ mode: 'Rollback', size: 2, endsMs: 60_000 },
    shape: { retryAfterSeconds: 30 },
    actions: [
      at(0, { do: 'room', name: 'm0', pods: 3 }),
      at(0.5, { do: 'size', to: 4 }),
      at(2, { do: 'quota', name: 'm1', forMs: 20_000 }),
      at(13, { do: 'scaleMember', name: 'm0', to: 3 }),
    ],
  }),
];
