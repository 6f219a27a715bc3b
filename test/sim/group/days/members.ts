// Which days are about what each member says of itself: its annotations, how much of it must be
// ready, and its place in the order, also on the way back?
import type { Placed } from '../../story/story.ts';
import type { GroupAction } from '../story.ts';
import { at, type Day, dayOf, inStages } from './day.ts';

const says = (name: string, field: string, value: string | null): GroupAction => ({
  ...{ do: 'annotateMember', name, annotations: { [`k8slab.info/${field}`]: value } },
});

const staged: GroupAction = {
  do: 'spec',
  patch: { transition: { order: 'Staged', onTimeout: 'Rollback', timeoutSeconds: 5 } },
};

const threeStages: readonly Placed<GroupAction>[] = [
  at(0, staged),
  at(0, says('m1', 'stage', '1')),
  at(0, says('m2', 'stage', '2')),
];

const selecting = { mode: 'Selector', size: 2, rules: inStages(3) } as const;

export const daysOfMembers: readonly Day[] = [
  dayOf({
    row: 21,
    says: 'annotations set ratio, bounds and stage of a member that a selector finds',
    shows: ['one size', 'stages', 'bounds'],
    ...{ ...selecting, endsMs: 40_000 },
    actions: [
      ...threeStages,
      at(0, says('m0', 'ratio', '2')),
      at(0, says('m1', 'max-replicas', '3')),
      at(0, says('m2', 'min-replicas', '2')),
      at(6, { do: 'size', to: 5 }),
      at(16, { do: 'size', to: 1 }),
    ],
  }),
  dayOf({
    row: 21,
    says: 'a member whose annotations change in mid-transition gets the replicas of the new ones',
    shows: ['one size', 'prompt', 'stages'],
    ...{ ...selecting, endsMs: 40_000 },
    actions: [
      ...threeStages,
      at(3, { do: 'slow', name: 'm1', byMs: 1_500 }),
      at(4, { do: 'size', to: 4 }),
      at(4.4, says('m1', 'ratio', '0.5')),
      at(5, says('m0', 'ratio', '2.5')),
      at(5.5, says('m2', 'stage', '0')),
      at(6, says('m1', 'ratio', null)),
    ],
  }),
  ...(
    [
      ['a ratio that is no number', 'ratio', 'two'],
      ['a ratio of ten decimals', 'ratio', '0.1234567891'],
      ['a stage beyond 99', 'stage', '100'],
      ['a bound below 0', 'min-replicas', '-1'],
      ['a bound above the default of the other', 'min-replicas', '9'],
      ['a ready fraction above 1', 'ready-fraction', '1.5'],
    ] as const
  ).map(([what, field, value]) =>
    dayOf({
      row: 22,
      says: `${what} is reported, stops no other member, and keeps its member as it is until it is corrected`,
      shows: ['annotated', 'targets', 'one size'],
      ...{ ...selecting, endsMs: 30_000 },
      actions: [
        at(0, says('m1', field, value)),
        at(1, { do: 'size', to: 4 }),
        at(12, says('m1', field, null)),
      ],
    }),
  ),
  dayOf({
    row: 22,
    says: 'a member with a wrong annotation in mid-transition holds up no other stage',
    shows: ['annotated', 'prompt', 'completes'],
    ...{ ...selecting, endsMs: 40_000 },
    actions: [
      ...threeStages,
      at(3, { do: 'break', name: 'm0', forMs: 30_000 }),
      at(3.5, { do: 'size', to: 4 }),
      at(5, says('m0', 'ratio', '0')),
      at(20, says('m0', 'ratio', '1')),
    ],
  }),
  dayOf({
    row: 22,
    says: 'a failed size is tried at once when the annotation of a member changes',
    shows: ['edit in back-off'],
    ...{ ...selecting, endsMs: 60_000 },
    actions: [
      at(0, {
        do: 'spec',
        patch: { transition: { onTimeout: 'Rollback', timeoutSeconds: 5, retryAfterSeconds: 120 } },
      }),
      at(0, { do: 'room', name: 'm0', pods: 4 }),
      at(1, { do: 'size', to: 4 }),
      at(25, says('m0', 'max-replicas', '4')),
    ],
  }),
  dayOf({
    row: 23,
    says: 'a group waits for a member until its ready fraction is ready',
    shows: ['completes', 'true end', 'stages'],
    ...{ mode: 'Staged', size: 2, endsMs: 30_000 },
    rules: [{ readyFraction: '0.5' }, { stage: 1 }, { stage: 2, readyFraction: '0.75' }],
    actions: [
      at(0, { do: 'room', name: 'm0', pods: 3 }),
      at(0, { do: 'slow', name: 'm2', byMs: 800 }),
      at(0.5, { do: 'size', to: 6 }),
    ],
  }),
  dayOf({
    row: 21,
    says: 'annotations of a member that the group names have no effect',
    shows: ['one size', 'targets', 'prompt'],
    ...{ mode: 'Together', size: 2, endsMs: 25_000 },
    actions: [
      at(0, says('m0', 'ratio', '2')),
      at(0, says('m1', 'max-replicas', 'few')),
      at(1, { do: 'size', to: 4 }),
    ],
  }),
  dayOf({
    row: 21,
    says: 'a group takes over an omitted size by the annotations of its members',
    shows: ['taken over', 'left out'],
    ...{ ...selecting, rules: inStages(2), endsMs: 15_000 },
    actions: [
      at(0, { do: 'pause' }),
      at(0.5, says('m0', 'ratio', '2')),
      at(1, { do: 'scaleMember', name: 'm0', to: 6 }),
      // By the ratio of the spec, 1.5.
      at(1, { do: 'scaleMember', name: 'm1', to: 5 }),
      at(2, { do: 'spec', patch: { replicas: null } }),
      at(4, { do: 'resume' }),
    ],
  }),
  dayOf({
    row: 23,
    says: 'a step of a scale-up is reached when the ready fraction of each member is ready',
    shows: ['goes back'],
    ...{ mode: 'Rollback', size: 2, endsMs: 45_000 },
    rules: [{ readyFraction: '0.75' }, {}],
    shape: { retryAfterSeconds: 60 },
    actions: [
      at(0, { do: 'room', name: 'm0', pods: 3 }),
      at(0, { do: 'slow', name: 'm1', byMs: 2_000 }),
      at(0.1, { do: 'size', to: 4 }),
      at(1.7, { do: 'size', to: 6 }),
    ],
  }),
  dayOf({
    row: 23,
    says: 'a size fails when less than the ready fraction of a member becomes ready',
    shows: ['time-out', 'goes back', 'true end'],
    ...{ mode: 'StagedRollback', size: 2, endsMs: 40_000 },
    rules: [{ readyFraction: '0.5' }, { stage: 1, readyFraction: '0.75' }],
    actions: [at(0, { do: 'room', name: 'm1', pods: 4 }), at(0.5, { do: 'size', to: 6 })],
  }),
  dayOf({
    row: 24,
    says: 'a rollback takes the stages in reverse order',
    shows: ['stages back'],
    ...{ mode: 'StagedRollback', size: 1, rules: inStages(4), endsMs: 45_000 },
    actions: [at(0, { do: 'room', name: 'm3', pods: 2 }), at(0.5, { do: 'size', to: 6 })],
  }),
  dayOf({
    row: 24,
    says: 'a rollback goes on in reverse order under a new leader',
    shows: ['stages back', 'goes back'],
    ...{ mode: 'StagedRollback', size: 1, rules: inStages(4), endsMs: 60_000 },
    actions: [
      at(0, { do: 'room', name: 'm3', pods: 2 }),
      at(0.5, { do: 'size', to: 6 }),
      at(12, { do: 'restartOperator' }),
    ],
  }),
];
