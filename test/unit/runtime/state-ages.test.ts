// Since when is something as it is?
import { describe, expect, it } from '@jest/globals';
import { StateAges } from '../../../src/runtime/state-ages.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

async function setUp() {
  const clock = new VirtualClock();
  const sightings = new StateAges(clock);
  const look = (
    key: string,
    facts: Readonly<Record<string, string>>,
  ): Readonly<Record<string, number>> =>
    sightings.round(key, (age) =>
      Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, age(name, value)])),
    );
  return { clock, sightings, look };
}

describe('the age of a fact', () => {
  it('counts from first sight, for as long as its value stays', async () => {
    const { clock, look } = await setUp();
    expect(look('k', { a: '1', b: '1' })).toEqual({ a: 0, b: 0 });
    await clock.advance(500);
    expect(look('k', { a: '1', b: '2' })).toEqual({ a: 500, b: 0 });
    await clock.advance(500);
    expect(look('k', { a: '1', b: '2' })).toEqual({ a: 1000, b: 500 });
  });

  it('begins anew when it was not looked at in a round between', async () => {
    const { clock, look } = await setUp();
    look('k', { a: '1' });
    await clock.advance(500);
    look('k', {});
    expect(look('k', { a: '1' })).toEqual({ a: 0 });
  });

  it('is that of its own key, and ends with it', async () => {
    const { clock, sightings, look } = await setUp();
    look('k', { a: '1' });
    await clock.advance(500);
    expect(look('other', { a: '1' })).toEqual({ a: 0 });
    sightings.forget('k');
    expect(look('k', { a: '1' })).toEqual({ a: 0 });
    expect(look('other', { a: '1' })).toEqual({ a: 0 });
  });

  it('does not follow the wall clock', () => {
    let wall = 0;
    const clock = { now: () => wall, monotonic: () => 0, after: () => () => undefined };
    const sightings = new StateAges(clock);
    sightings.round('k', (age) => age('a', '1'));
    wall = 3_600_000;
    expect(sightings.round('k', (age) => age('a', '1'))).toBe(0);
  });
});
