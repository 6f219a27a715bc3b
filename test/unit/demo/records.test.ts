import { describe, expect, it } from '@jest/globals';
import { readRecord } from '../../../src/demo/checks/records.ts';
import { createLog } from '../../../src/worker/report/log.ts';

const at = Date.parse('2026-01-01T00:00:01.250Z');

/** As the worker itself writes them. */
function written(message: string, details = {}): string {
  const lines: string[] = [];
  createLog(
    (line) => lines.push(line),
    () => new Date(at),
  ).info(message, details);
  return lines.join('').trimEnd();
}

describe('a line of a worker’s log', () => {
  it.each([
    [written('started', { stream: 'feed:fx', pid: 7 }), { what: 'started', at, stream: 'feed:fx' }],
    [written('stopped', { stream: 'feed:fx' }), { what: 'stopped', at, stream: 'feed:fx' }],
    [
      written('started', { stream: 'a "b"\nstopped' }),
      { what: 'started', at, stream: 'a "b"\nstopped' },
    ],
    [written('asked to stop', { signal: 'SIGTERM' }), { what: 'told to end', at }],
    [written('confirmed', { version: 3 }), undefined],
    ['[feed:fx] 2026-01-01T00:00:01.250Z info stopped stream=feed:gold', undefined],
    ['', undefined],
  ])('readRecord reads the line %j of the log of a worker', (line, record) =>
    expect(readRecord(line)).toEqual(record),
  );
});
