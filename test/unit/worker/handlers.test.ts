// How does a function's run end: by a throw, a return, or what it says of itself?
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { ProcessEvent } from '../../../src/worker/decide/stream.ts';
import { createHandlers, type StreamHandler } from '../../../src/worker/launch/handlers.ts';
import { job } from './builders.ts';

/** The events of one run, up to the last. */
function run(handler: StreamHandler): Promise<readonly ProcessEvent[]> {
  return new Promise((resolve) => {
    const events: ProcessEvent[] = [];
    const handlers = createHandlers({
      handler,
      onEvent: (_, event) => {
        events.push(event);
        if (event.type === 'Gone' || event.type === 'SpawnFailed') resolve(events);
      },
      onOverdue: () => undefined,
    });
    // From here timers that are due come before the next immediate.
    setImmediate(() => handlers.start(job('a')));
  });
}

const started = { type: 'Started' };
const gone = { type: 'Gone' };
const crashed = (problem: string): object => ({
  type: 'Exited',
  code: 1,
  how: `by an error: ${problem}`,
  message: problem,
});
const completed = { type: 'Exited', code: 0, isCompleted: true };
const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 1));

/** Holds up the event loop, as a busy machine does. */
function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('a function that', () => {
  const rows: [what: string, handler: StreamHandler, events: readonly object[]][] = [
    [
      'throws has crashed with that message',
      async () => {
        await turn();
        throw new Error('boom');
      },
      [started, crashed('boom'), gone],
    ],
    [
      'throws has crashed, also on a machine that is busy at its start',
      async () => {
        const soon = turn();
        busy(5);
        await soon;
        throw new Error('boom');
      },
      [started, crashed('boom'), gone],
    ],
    [
      'throws after it has awaited what was there cannot be started',
      async () => {
        await Promise.resolve();
        throw new Error('no camera');
      },
      [{ type: 'SpawnFailed', problem: 'no camera' }],
    ],
    [
      'returns has ended',
      turn,
      [
        started,
        { type: 'Exited', code: 0, how: 'by returning', message: 'the handler returned' },
        gone,
      ],
    ],
    [
      'says that it failed has crashed with that message, and its signal is aborted',
      async ({ signal, failed }) => {
        setTimeout(() => failed('no picture'), 1);
        await once(signal, 'abort');
      },
      [started, crashed('no picture'), gone],
    ],
    [
      'says that it failed before it has awaited anything cannot be started',
      async ({ failed }) => failed('no camera'),
      [{ type: 'SpawnFailed', problem: 'no camera' }],
    ],
    [
      'says that it completed is done, though it throws when its signal is aborted',
      async ({ signal, completed: done }) => {
        await turn();
        done();
        signal.throwIfAborted();
      },
      [started, completed, gone],
    ],
    [
      'says two things means the first',
      async ({ failed, completed: done }) => {
        done();
        failed('too late');
      },
      [started, completed, gone],
    ],
  ];
  it.each(rows)('a function that %s', async (_, handler, events) => {
    expect(await run(handler)).toEqual(events);
  });
});
