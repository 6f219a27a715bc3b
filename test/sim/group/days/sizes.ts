// Which days are about sizes: how they are computed, who requests them, and where they are shown?
import type { Placed } from '../../story/story.ts';
import type { GroupAction } from '../story.ts';
import { at, type Day, dayOf } from './day.ts';

export const daysOfSizes: readonly Day[] = [
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
    row: 11,
    says: 'a transition that was paused is not measured',
    shows: ['times'],
    ...{ mode: 'Together', size: 2, endsMs: 25_000 },
    actions: [at(0, { do: 'pause' }), at(1, { do: 'size', to: 4 }), at(12, { do: 'resume' })],
  }),
  dayOf({
    row: 11,
    says: 'a group reports an annotation that does not pause it',
    shows: ['annotation'],
    ...{ mode: 'Together', size: 2, endsMs: 12_000 },
    actions: [at(0, { do: 'annotate', name: 'k8slab.info/paused', value: 'yes' })],
  }),
  dayOf({
    row: 14,
    says: 'a group without a free member completes no transition',
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
    says: 'an omitted size is not taken over from a first member at 0',
    shows: ['taken over', 'left out'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000 },
    actions: leftOut(0, 3),
  }),
  dayOf({
    row: 15,
    says: 'an omitted size is not taken over where it would change the first member',
    shows: ['taken over', 'left out'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000, rules: [{ ratio: 2 }, { ratio: 1 }] },
    actions: leftOut(3, 2),
  }),
  dayOf({
    row: 15,
    says: 'an omitted size is taken over where it changes no member',
    shows: ['taken over', 'left out'],
    ...{ mode: 'Together', size: 2, endsMs: 15_000, rules: [{ ratio: 1 }, { ratio: '1.5' }] },
    actions: leftOut(5, 8),
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
