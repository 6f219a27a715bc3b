// Are debts paid off at the right pace, and forgotten once they are paid?
import { describe, expect, it } from '@jest/globals';
import { Debts } from '../../../../src/runtime/queue/debts.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

describe('a debt', () => {
  it('a debt is paid off as time passes, and no more than that', async () => {
    const clock = new VirtualClock();
    const debts = new Debts(clock, 2);
    debts.add('a', 1_000);
    await clock.advance(100);
    debts.add('a', 50);
    debts.add('b', 10);
    expect([debts.of('a'), debts.of('b'), debts.of('c')]).toEqual([850, 10, 0]);
    await clock.advance(10_000);
    debts.add('a', 5);
    expect([debts.of('a'), debts.of('b')]).toEqual([5, 0]);
  });

  it('a debt is zero once it is forgiven', () => {
    const debts = new Debts(new VirtualClock(), 1);
    debts.add('a', 1_000);
    debts.forget('a');
    expect([debts.of('a'), debts.size]).toEqual([0, 0]);
  });

  it('a paid debt is forgotten without being asked for', async () => {
    const clock = new VirtualClock();
    const debts = new Debts(clock, 1);
    for (let index = 0; index < 10_000; index += 1) {
      debts.add(`namespace-${index}`, 10);
      await clock.advance(1);
    }
    expect(debts.size).toBeLessThan(200);
    for (let index = 0; index < 1_000; index += 1) debts.add(`debtor-${index}`, 1_000);
    expect(debts.size).toBeGreaterThanOrEqual(1_000);
    expect(debts.of('debtor-0')).toBe(1_000);
  });
});
