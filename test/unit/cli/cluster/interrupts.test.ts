// Which signals end a command, at once or after it has put something back?
import { expect, it } from '@jest/globals';
import { interrupts, untilInterrupted } from '../../../../src/cli/cluster/changes.ts';

it.each<[readonly NodeJS.Signals[], ended: boolean, abandoned: boolean]>([
  [[], false, false],
  [['SIGINT'], true, false],
  [['SIGTERM'], true, false],
  [['SIGINT', 'SIGINT'], true, true],
  [['SIGTERM', 'SIGINT'], true, true],
  [['SIGHUP', 'SIGHUP', 'SIGPIPE', 'SIGPIPE'], true, false],
  [['SIGPIPE', 'SIGINT'], true, true],
])(
  'a command that puts something back reacts to the signals %j',
  (signals, isEnded, isAbandoned) => {
    const { ended, abandoned, release } = interrupts();
    for (const signal of signals) process.emit(signal);
    release();
    expect([ended.aborted, abandoned.aborted]).toEqual([isEnded, isAbandoned]);
    expect(process.listenerCount('SIGPIPE')).toBe(0);
  },
);

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a command that follows changes ends at %s, and listens to no signal after its end',
  async (signal) => {
    const listeners = () => ['SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name));
    const before = listeners();
    const isEnded = await untilInterrupted(async (ended) => {
      process.emit(signal);
      return ended.signal.aborted;
    });
    expect(isEnded).toBe(true);
    expect(listeners()).toEqual(before);
  },
);

it('a command that fails listens to no signal after its end', async () => {
  const before = process.listenerCount('SIGINT');
  const failing = untilInterrupted(() => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
  expect(process.listenerCount('SIGINT')).toBe(before);
});
