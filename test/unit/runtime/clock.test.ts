// Does the system's clock call back at the right time, and only then?
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deadlineIn } from '../../../src/runtime/client/deadline.ts';
import { sleep, systemClock } from '../../../src/runtime/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('the clock', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('the clock waits for a delay of more than 24 days, instead of no time at all', () => {
    const run = jest.fn();
    systemClock.after(40 * 24 * 3_600_000, run);
    jest.advanceTimersByTime(24 * 24 * 3_600_000);
    expect(run).not.toHaveBeenCalled();
    jest.advanceTimersByTime(24 * 3_600_000);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('the clock does not call back after a cancellation', () => {
    const run = jest.fn();
    systemClock.after(10, run)();
    jest.advanceTimersByTime(20);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('a sleep', () => {
  it('a sleep ends after its time, or when it is cancelled, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const stopping = new AbortController();
    const slept = sleep(clock, 100, stopping.signal);
    await clock.advance(100);
    await slept;
    const other = sleep(clock, 100, stopping.signal);
    stopping.abort();
    await other;
    await sleep(clock, 100, stopping.signal);
    expect(clock.pending).toBe(0);
  });
});

describe('a deadline', () => {
  it('a deadline says whether its time was up or it was cancelled', () => {
    jest.useFakeTimers();
    const stopping = new AbortController();
    const late = deadlineIn(10, stopping.signal);
    jest.advanceTimersByTime(10);
    const off = deadlineIn(10, stopping.signal);
    stopping.abort();
    const after = deadlineIn(10, stopping.signal);
    expect([late, off, after].map(({ signal, isPassed }) => [signal.aborted, isPassed()])).toEqual([
      [true, true],
      [true, false],
      [true, false],
    ]);
    for (const { end } of [late, off, after]) end();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
