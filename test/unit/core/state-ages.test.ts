// Since when is something as it is?
import { describe, expect, it } from '@jest/globals';
import { measureAges, type States } from '../../../src/core/state-ages.ts';

/** Looks at these states again and again, and remembers in between. */
function setUp() {
  let states: States = new Map();
  return (nowMs: number, seen: Readonly<Record<string, string>>) => {
    const measured = measureAges(states, nowMs, (age) =>
      Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, age(name, value)])),
    );
    ({ states } = measured);
    return measured.ages;
  };
}

describe('the age of a state', () => {
  it('the age of a state counts from its first sight, for as long as its value stays', () => {
    const look = setUp();
    expect(look(100, { a: '1', b: '1' })).toEqual({ a: 0, b: 0 });
    expect(look(600, { a: '1', b: '2' })).toEqual({ a: 500, b: 0 });
    expect(look(1_100, { a: '1', b: '2' })).toEqual({ a: 1_000, b: 500 });
  });

  it('the age of a state begins again when the state was not measured in between', () => {
    const look = setUp();
    look(100, { a: '1' });
    look(600, {});
    expect(look(700, { a: '1' })).toEqual({ a: 0 });
  });

  it('the age of a state is the same when it is measured again from the same memory', () => {
    const before: States = new Map([['a', { value: '1', sinceMs: 100 }]]);
    const measure = () => measureAges(before, 600, (age) => [age('a', '1'), age('b', '1')]);
    expect(measure()).toEqual(measure());
    expect(measure().ages).toEqual([500, 0]);
  });
});
