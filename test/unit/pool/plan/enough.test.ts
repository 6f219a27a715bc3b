// What would be enough is what the operator would do with so many workers.
import { expect, it } from '@jest/globals';
import { enoughFor } from '../../../../src/pool/plan/enough.ts';
import { planOf } from '../../../../src/pool/plan/plan.ts';
import { checkPreconditions } from '../../../../src/pool/preconditions.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled } from '../../../support/pool-decisions.ts';
import { NOW, type Shape, world } from '../../../support/pool-worlds.ts';

const capacity = 100;
const heavy = (...weights: readonly number[]): readonly object[] =>
  weights.map((weight, at) => ({ name: `s${at}`, weight }));

const workers = (rest: object): NonNullable<Shape['spec']> => ({ workers: { capacity, ...rest } });

function unassignedIn(at: PoolWorld): ReturnType<typeof planOf>['unassigned'] {
  const checked = checkPreconditions(at);
  if (!checked.ok) throw new Error(checked.blocked.message);
  return planOf({ before: at, after: at, checked, now: NOW }).unassigned;
}

it.each<[string, Shape, number | undefined, readonly string[]]>([
  ['weights', { streams: heavy(60, 60, 60), workers: 1 }, 3, []],
  [
    'weights beside a cordoned worker',
    { streams: heavy(60, 60), spec: workers({ cordoned: [1] }) },
    3,
    [],
  ],
  [
    'a stream that is too heavy',
    { streams: heavy(180, 60), workers: 1 },
    undefined,
    ['s0 TooHeavy'],
  ],
  [
    'a stream that is too heavy and one without room',
    { streams: heavy(180, 60, 60), workers: 1 },
    2,
    ['s0 TooHeavy'],
  ],
  [
    'a pin to a worker that is missing',
    { streams: [{ name: 'a', ordinal: 4 }], workers: 1 },
    5,
    [],
  ],
  [
    'a pin to a worker that is missing, and would be cordoned',
    { streams: [{ name: 'a', ordinal: 4 }], workers: 1, spec: workers({ cordoned: [4] }) },
    undefined,
    ['a PinnedWorkerCordoned'],
  ],
  [
    'a pin to a worker that no pool may have',
    { streams: [{ name: 'a', ordinal: 50_000 }], workers: 1 },
    undefined,
    ['a PinnedWorkerMissing'],
  ],
  [
    'a pin to a worker that others can leave',
    { streams: [...heavy(60), { name: 'a', weight: 60, ordinal: 0 }], workers: 1 },
    2,
    [],
  ],
  [
    'pins to one worker that cannot carry both',
    {
      streams: ['a', 'b'].map((name) => ({ name, weight: 60, ordinal: 0 })),
      workers: 1,
    },
    undefined,
    ['b PinnedWorkerFull'],
  ],
])('the number of workers that would be enough is right for %s', (_, shape, enough, hopeless) => {
  const now = settled(world(shape));
  const found = enoughFor(now, unassignedIn(now), NOW);
  expect(found?.workers).toBe(enough);
  expect(found?.hopeless.map(({ name, reason }) => `${name} ${reason}`)).toEqual(hopeless);
});
