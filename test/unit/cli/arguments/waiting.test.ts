// When does a command that waits say so, and when does it give up?
import { describe, expect, it } from '@jest/globals';
import { Wait } from '../../../../src/cli/arguments/waiting.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

function waiting(timeoutMs: number | undefined) {
  const clock = new VirtualClock();
  const said: string[] = [];
  const note = (line: string): void => void said.push(line);
  const onTimeout = (message: string): void => void said.push(`end: ${message}`);
  return { clock, said, wait: new Wait({ clock, note, timeoutMs, onTimeout }) };
}

describe('a command that waits', () => {
  it('a wait says at growing distances what it waits for, and ends at its bound', async () => {
    const { clock, said, wait } = waiting(25 * 60_000);
    wait.for('rain');
    await clock.advance(9_999);
    expect(said).toEqual([]);
    await clock.advance(3_600_000);
    expect(said).toEqual([
      ...['10s', '30s', '60s', '2m', '5m', '10m', '20m'].map(
        (passed) => `waiting for rain (${passed} of at most 25m)`,
      ),
      'end: after 25m (--timeout) still waiting for rain',
    ]);
    expect(clock.pending).toBe(0);
  });

  it('a wait names what it waits for now, and keeps its bound', async () => {
    const { clock, said, wait } = waiting(20_000);
    wait.for('rain');
    await clock.advance(5_000);
    wait.for('sun');
    await clock.advance(15_000);
    expect(said).toEqual([
      'waiting for sun (10s of at most 20s)',
      'end: after 20s (--timeout) still waiting for sun',
    ]);
  });

  it('a wait begins anew after a time in which the command waited for nothing', async () => {
    const { clock, said, wait } = waiting(20_000);
    wait.for('rain');
    await clock.advance(8_000);
    wait.for(undefined);
    await clock.advance(3_600_000);
    expect(said).toEqual([]);
    wait.for('rain');
    await clock.advance(19_999);
    expect(said).toEqual(['waiting for rain (10s of at most 20s)']);
    wait.end();
    expect(clock.pending).toBe(0);
  });

  it('a wait without a bound goes on, and says so for ever', async () => {
    const { clock, said, wait } = waiting(undefined);
    wait.for('rain');
    await clock.advance(2 * 3_600_000);
    expect(said.at(-1)).toBe('waiting for rain (2h)');
    expect(said).toHaveLength(17);
  });
});
