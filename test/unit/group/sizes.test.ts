import { describe, expect, it } from '@jest/globals';
import {
  readyEnough,
  replicasAt,
  sizeOfReplicas,
  sizesGiving,
} from '../../../src/group/members/rules.ts';

const rules = (
  ratio: number | string,
  minReplicas = 0,
  maxReplicas = Number.POSITIVE_INFINITY,
) => ({
  stage: 0,
  ratio,
  minReplicas,
  maxReplicas,
  readyFraction: 1,
});

describe('the replicas of a member', () => {
  it.each([
    ['1.1', 10, 11],
    ['1.1', 100_000, 110_000],
    ['0.1', 1, 1],
    ['0.000001', 100_000, 1],
    ['0.3', 10, 3],
    ['2.5', 3, 8],
    [2, 3, 6],
    [1000, 100_000, 100_000_000],
    ['1000.000000', 100_000, 100_000_000],
    ['0.7', 0, 0],
    ['0.0333333', 30, 1],
    ['0.033333334', 30, 2],
    ['999.999999999', 100_000, 100_000_000],
  ])('a member with ratio %p at size %p has %p replicas', (ratio, size, want) => {
    expect(replicasAt(size, rules(ratio))).toBe(want);
  });

  it('the replicas of a member stay within its bounds', () => {
    expect(replicasAt(10, rules(1, 0, 3))).toBe(3);
    expect(replicasAt(0, rules(1, 2))).toBe(2);
  });
});

describe('the size that is taken over', () => {
  it.each([
    [2, 5, 3],
    ['1.5', 3, 2],
    [1, 7, 7],
    [3, 0, 0],
  ])('a member with ratio %p and %p replicas means size %p', (ratio, replicas, want) => {
    expect(sizeOfReplicas(replicas, rules(ratio))).toBe(want);
  });
});

describe('the sizes that give a member what it has', () => {
  const none = Number.POSITIVE_INFINITY;
  it.each([
    [1, 0, none, 3, { least: 3, most: 3 }],
    ['0.5', 0, none, 2, { least: 3, most: 4 }],
    [2, 0, none, 3, undefined],
    [1, 0, none, 0, { least: 0, most: 0 }],
    [1, 0, 1, 1, { least: 1, most: none }],
    [1, 2, none, 2, { least: 0, most: 2 }],
    [1, 2, none, 1, undefined],
    [1, 0, 1, 2, undefined],
    ['0.0333333', 0, none, 1, { least: 1, most: 30 }],
  ])(
    'a member with ratio %p from %p to %p and %p replicas fits the sizes %p',
    (ratio, least, most, replicas, want) => {
      expect(sizesGiving(replicas, rules(ratio, least, most))).toEqual(want);
    },
  );
});

describe('the replicas that must be ready', () => {
  it.each([
    [1, 100, 100],
    ['0.99', 100, 99],
    ['0.9', 3, 3],
    ['0.5', 0, 0],
  ])('a ready fraction of %p of %p replicas needs %p ready', (readyFraction, replicas, want) => {
    expect(readyEnough(replicas, { ...rules(1), readyFraction })).toBe(want);
  });
});
