// Which days are about sizes that a policy decides: at random, or by the clock on the wall?
import { atRandom, boundedBy, manual, type Schedule, scheduled } from '../policies.ts';
import { at, type Day, dayOf } from './day.ts';

const BERLIN = 'Europe/Berlin';

const berlin = (schedule: string, replicas: number): Schedule => ({
  ...{ schedule, timeZone: BERLIN, replicas },
});

/** From 02:00 to 03:00 at 01:00 UTC. */
const MARCH = '2026-03-29T00:59:40Z';
/** From 03:00 back to 02:00 at 01:00 UTC: 02:30 is there for the second time. */
const OCTOBER = '2026-10-25T01:29:40Z';
const NEW_YEAR = '2025-12-31T23:59:40Z';

export const daysOfPolicies: readonly Day[] = [
  dayOf({
    row: 17,
    says: 'a number of a seed gives the same size each time, within the present bounds',
    shows: ['drawn'],
    ...{ mode: 'Together', size: 2, endsMs: 75_000 },
    actions: [
      at(0, atRandom(7)),
      at(1, { do: 'size', to: 5 }),
      at(24, atRandom(8, { minReplicas: 3, maxReplicas: 4 })),
      at(36, atRandom(7)),
      at(60, atRandom(7, { periodSeconds: 6 })),
    ],
  }),
  dayOf({
    row: 17,
    says: 'a random policy continues with its number when the operator restarts',
    shows: ['drawn'],
    ...{ mode: 'Staged', size: 2, endsMs: 60_000 },
    actions: [
      at(0, atRandom(3)),
      at(13, { do: 'restartOperator' }),
      at(33, { do: 'restartOperator' }),
    ],
  }),
  dayOf({
    row: 17,
    says: 'a random policy continues with its number when another leader takes over',
    shows: ['drawn'],
    ...{ mode: 'Together', size: 2, endsMs: 60_000 },
    ...{ hasStandby: true, faults: [{ fault: 'F1', atMs: 14_000 }] },
    actions: [at(0, atRandom(5))],
  }),
  dayOf({
    row: 17,
    says: 'a random size that fails is given up, and the next one is tried',
    shows: ['back-off', 'goes back', 'drawn'],
    ...{ mode: 'Rollback', size: 2, endsMs: 70_000 },
    actions: [at(0, { do: 'room', name: 'm1', pods: 3 }), at(0.1, atRandom(11))],
  }),
  dayOf({
    row: 17,
    says: 'a random policy continues in a pause, and scales no member',
    shows: ['drawn', 'pause'],
    ...{ mode: 'Together', size: 2, endsMs: 45_000 },
    actions: [at(0, atRandom(7)), at(7, { do: 'pause' }), at(31, { do: 'resume' })],
  }),
  dayOf({
    row: 18,
    says: 'a time that the clock skips is due at the change',
    shows: ['one size', 'prompt'],
    ...{ mode: 'Together', size: 3, endsMs: 45_000, startsAt: MARCH },
    actions: [at(0, scheduled([berlin('0 20 * * *', 2), berlin('30 2 * * *', 5)]))],
  }),
  dayOf({
    row: 18,
    says: 'the last in the list counts of two schedules that are due at a change of the clock',
    shows: ['one size', 'prompt'],
    ...{ mode: 'Staged', size: 3, endsMs: 45_000, startsAt: MARCH },
    actions: [at(0, scheduled([berlin('0 3 * * *', 4), berlin('*/20 2 * * *', 1)]))],
  }),
  dayOf({
    row: 18,
    says: 'a time that the clock repeats is due once',
    shows: ['targets', 'one size'],
    ...{ mode: 'Together', size: 3, endsMs: 45_000, startsAt: OCTOBER },
    actions: [at(0, scheduled([berlin('30 2 * * *', 5), berlin('45 2 * * *', 2)]))],
  }),
  dayOf({
    row: 18,
    says: 'a schedule that was due while no operator ran counts once one runs',
    shows: ['prompt'],
    ...{ mode: 'Together', size: 3, endsMs: 60_000, startsAt: NEW_YEAR },
    actions: [
      at(0, scheduled([berlin('0 20 * * *', 2), { schedule: '0 0 1 * *', replicas: 4 }])),
      at(16.5, { do: 'restartOperator' }),
    ],
  }),
  dayOf({
    row: 18,
    says: 'a clock that is set is noticed within a period',
    shows: ['one size'],
    ...{ mode: 'Together', size: 3, endsMs: 60_000, startsAt: NEW_YEAR },
    faults: [{ fault: 'F20', atMs: 8_000 }],
    actions: [at(0, scheduled([berlin('40 0 * * *', 2), berlin('20 1 * * *', 4)]))],
  }),
  dayOf({
    row: 19,
    says: 'schedules move the bounds of a size that users set',
    shows: ['one size', 'prompt', 'targets'],
    ...{ mode: 'Rollback', size: 3, endsMs: 105_000, startsAt: NEW_YEAR },
    actions: [
      at(
        0,
        boundedBy([
          { schedule: '0 0 * * *', minReplicas: 5 },
          { schedule: '1 0 * * *', maxReplicas: 2 },
          { schedule: '58 23 * * *', timeZone: 'Asia/Kathmandu', maxReplicas: 1 },
        ]),
      ),
      at(30, { do: 'size', to: 6 }),
      at(40, { do: 'size', to: 1 }),
      at(85, { do: 'size', to: 4 }),
    ],
  }),
  dayOf({
    row: 19,
    says: 'schedules move the bounds of random sizes',
    shows: ['drawn', 'targets'],
    ...{ mode: 'Together', size: 3, endsMs: 60_000, startsAt: NEW_YEAR },
    actions: [
      at(0, atRandom(9, { schedules: [{ name: 'low', schedule: '0 0 * * *', maxReplicas: 2 }] })),
    ],
  }),
  ...(
    [
      ['a minute that there is not', { schedule: '61 2 * * *' }],
      ['a day that never comes', { schedule: '0 0 31 2 *' }],
      ['a zone that there is not', { schedule: '0 2 * * *', timeZone: 'Europe/Nowhere' }],
    ] as const
  ).map(([what, line]) =>
    dayOf({
      row: 20,
      says: `${what} is reported, and the members keep their sizes until it is corrected`,
      shows: ['blocked'],
      ...{ mode: 'Together', size: 3, endsMs: 30_000 },
      actions: [
        at(0, scheduled([{ schedule: '0 0 * * *', replicas: 2 }])),
        at(
          4,
          scheduled([
            { schedule: '0 0 * * *', replicas: 4 },
            { ...line, replicas: 5 },
          ]),
        ),
        at(7, { do: 'restartOperator' }),
        at(27, manual({ maxReplicas: 5 })),
      ],
    }),
  ),
];
