import { describe, expect, it } from '@jest/globals';
import { replicasAt, sizeOfReplicas } from '../../../src/group/members/sizes.ts';

const rules = (
  ratio: number | string,
  minReplicas = 0,
  maxReplicas = Number.POSITIVE_INFINITY,
) => ({
  stage: 0,
  ratio,
  minReplicas,
  maxReplicas,
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
  ])('with ratio %p at size %p are %p', (ratio, size, want) => {
    expect(replicasAt(size, rules(ratio))).toBe(want);
  });

  it('stay within the bounds', () => {
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
  ])('with ratio %p of %p replicas is %p', (ratio, replicas, want) => {
    expect(sizeOfReplicas(replicas, rules(ratio))).toBe(want);
  });
});
