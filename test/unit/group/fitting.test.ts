// Do the proposed ratios give each member the replicas that it has?
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fittingRatios, ratioOf } from '../../../src/group/members/fitting.ts';
import { replicasAt } from '../../../src/group/members/rules.ts';

const rules = {
  ...{ stage: 0, ratio: 1, readyFraction: 1 },
  ...{ minReplicas: 0, maxReplicas: Number.POSITIVE_INFINITY },
} as const;

it.each([
  [3, 2, '1.5'],
  [4, 2, '2'],
  [7, 3, '2.333333333'],
  [1, 3, '0.333333333'],
  [0, 3, undefined],
  [3, 0, undefined],
  [2001, 2, undefined],
])('%d replicas at size %d need the ratio %s', (replicas, size, want) =>
  expect(ratioOf(replicas, size)).toBe(want),
);

it('the proposed ratios give each member its replicas', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }), (all) => {
      const members = all.map((replicas, index) => ({ name: `m${index}`, replicas, rules }));
      const fitting = fittingRatios(members);
      if (fitting === undefined) return Math.max(...all) > 1_000 * Math.min(...all);
      const ratios = new Map(fitting.ratios.map(({ name, ratio }) => [name, ratio]));
      return members.every(
        ({ name, replicas }) =>
          replicasAt(fitting.size, { ...rules, ratio: ratios.get(name) ?? 1 }) === replicas,
      );
    }),
  ));
