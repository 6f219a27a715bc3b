// Which signals end a command that has to put something back, and which end it at once?
import { expect, it } from '@jest/globals';
import { interrupts } from '../../../../src/cli/cluster/changes.ts';

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
