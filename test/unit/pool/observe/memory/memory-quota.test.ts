// Does a namespace keep its part of the memory, and do all together stay within the bound?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryQuota } from '../../../../../src/pool/observe/memory.ts';

function setUp(most: number) {
  const told: string[] = [];
  const quota = new MemoryQuota({ most, onChange: (key) => void told.push(key) });
  const tryReserve = (namespace: string, key: string, bytes: number): boolean => {
    quota.reserve(namespace, key, bytes);
    return quota.holds(namespace, key);
  };
  return { quota, told, tryReserve };
}

describe('the memory of a namespace', () => {
  it('a namespace may use all memory while no other namespace needs it', () => {
    const { tryReserve } = setUp(100);
    expect(tryReserve('a', 'a/1', 60)).toBe(true);
    expect(tryReserve('a', 'a/2', 40)).toBe(true);
    expect(tryReserve('a', 'a/3', 1)).toBe(false);
  });

  it('a namespace gives way to others up to an equal part, its last pool first', () => {
    const { told, tryReserve } = setUp(100);
    for (const [key, bytes] of [
      ['a/1', 40],
      ['a/2', 30],
      ['a/3', 30],
    ] as const)
      tryReserve('a', key, bytes);
    expect(tryReserve('b', 'b/1', 20)).toBe(true);
    expect(told).toEqual(['a/3']);
    expect(tryReserve('a', 'a/1', 40)).toBe(true);
    expect(tryReserve('a', 'a/3', 30)).toBe(false);
  });

  it('a pool that got no room is woken when there is room', () => {
    const { quota, told, tryReserve } = setUp(100);
    tryReserve('a', 'a/1', 90);
    expect(tryReserve('a', 'a/2', 20)).toBe(false);
    quota.drop('a', 'a/1');
    expect(told).toEqual(['a/2']);
    expect(tryReserve('a', 'a/2', 20)).toBe(true);
  });

  it('a reservation may become smaller and larger', () => {
    const { tryReserve } = setUp(100);
    tryReserve('a', 'a/1', 90);
    expect(tryReserve('a', 'a/1', 101)).toBe(false);
    expect(tryReserve('a', 'a/1', 10)).toBe(true);
    expect(tryReserve('a', 'a/2', 90)).toBe(true);
  });
});

describe('over any history', () => {
  const step = fc.record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    pool: fc.nat(5),
    bytes: fc.nat(60),
    isGone: fc.boolean(),
  });

  it('over any history the total stays within the bound, and no namespace is refused an equal part', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const wanted = new Map<string, number>();
        const kept = new Map<string, number>();
        const due = new Set<string>();
        const quota = new MemoryQuota({ most: 99, onChange: (key) => void due.add(key) });
        const ask = (key: string): void => {
          const bytes = wanted.get(key) ?? 0;
          quota.reserve(key.slice(0, 1), key, bytes);
          if (quota.holds(key.slice(0, 1), key)) kept.set(key, bytes);
          else kept.delete(key);
        };
        for (const { namespace, pool, bytes, isGone } of steps) {
          const key = `${namespace}/${pool}`;
          if (isGone) {
            wanted.delete(key);
            kept.delete(key);
            quota.drop(namespace, key);
          } else {
            wanted.set(key, bytes);
            ask(key);
          }
          for (let round = 0; due.size > 0 && round < 100; round += 1) {
            const [next = ''] = due;
            due.delete(next);
            if (wanted.has(next)) ask(next);
          }
          const sum = (all: Map<string, number>, of: string): number =>
            [...all].reduce((total, [it, size]) => total + (it.startsWith(of) ? size : 0), 0);
          expect(sum(kept, '')).toBeLessThanOrEqual(99);
          for (const one of ['a', 'b', 'c'])
            if (sum(wanted, one) <= 33) expect(sum(kept, one)).toBe(sum(wanted, one));
        }
      }),
      { numRuns: 500 },
    );
  });
});
