// Which answers about streams does the check accept, and what does it expect in place of others?
import { describe, expect, it } from '@jest/globals';
import { brokenTelling } from '../../../src/conformance/telling.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const url = 'rtsp://user:secret@cam-1/main';
const failing = {
  state: 'Restarting',
  restarts: 7,
  since: '2026-01-01T00:00:00Z',
  message: 'exit code 1: Connection refused',
};
const judge = (fields: Readonly<Record<string, unknown>>): string | undefined =>
  brokenTelling(fields, now, (stream) => (stream === 'foreign' ? undefined : [url]))?.expected;
const told = (more: object): object => ({
  streams: { a: { ...failing, ...more } },
  states: { Restarting: 1 },
  jobs: ['a'],
});
const many = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, failing]));

describe('the check', () => {
  const accepted: [what: string, fields: object][] = [
    ['nothing of streams that all run', { streams: {} }],
    ['a stream that fails', told({})],
    ['no more than state and restarts', { ...told({ since: undefined, message: undefined }) }],
    ['milliseconds', told({ since: '2026-01-01T00:00:00.123Z' })],
    ['a clock that is a little ahead', told({ since: '2026-01-01T00:01:59Z' })],
    ['a message without the value of a parameter', told({ message: 'open …: refused' })],
    ['the worst of more', { streams: many(100), states: { Restarting: 150, Running: 3 } }],
  ];
  it.each(accepted)('worker-check accepts a worker that reports %s', (_, fields) =>
    expect(judge({ ...fields })).toBeUndefined(),
  );

  const aMessage = 'a message of one line, without control characters, at most 256 characters';
  const aState = 'one of the states Starting, Restarting, Stopping, Suspended, Completed, Failed';
  const refused: [what: string, fields: object, expected: string][] = [
    ['a list', { streams: [] }, 'an object `streams`'],
    ['too many', { streams: many(101), states: { Restarting: 101 } }, 'at most 100 in `streams`'],
    [
      'a stream of another worker',
      { streams: { foreign: failing }, states: { Restarting: 1 } },
      'only its own streams in `streams`',
    ],
    ['a text', { streams: { a: 'Failed' } }, 'an object for each stream'],
    ['a stream that runs', told({ state: 'Running' }), aState],
    ['a state that is none', told({ state: 'Bad' }), aState],
    ['restarts of no number', told({ restarts: '7' }), 'restarts, a whole number'],
    ['restarts below 0', told({ restarts: -1 }), 'restarts, a whole number'],
    [
      'a time to come',
      told({ since: '2026-01-01T00:03:00Z' }),
      'since, a time such as 2026-01-01T00:00:00Z, not in the future',
    ],
    [
      'a time that is none',
      told({ since: '2026-01-01 00:00' }),
      'since, a time such as 2026-01-01T00:00:00Z, not in the future',
    ],
    ['two lines', told({ message: 'a\nb' }), aMessage],
    ['an escape', told({ message: '\u001b[31mred' }), aMessage],
    ['a long message', told({ message: 'x'.repeat(257) }), aMessage],
    [
      'a password',
      told({ message: 'login with secret failed' }),
      'no message that contains five or more characters of a parameter',
    ],
    [
      'no totals',
      { streams: { a: failing } },
      'next to `streams` an object `states` with whole numbers',
    ],
    [
      'totals that miss one',
      { ...told({}), states: { Running: 1 } },
      'in `states` as many Restarting as in `streams`, 1',
    ],
    [
      'totals with one that is not told of',
      { ...told({}), states: { Restarting: 1, Failed: 1 } },
      'in `states` as many Failed as in `streams`, 0',
    ],
    [
      'totals that miss a stream that runs',
      { ...told({}), jobs: ['a', 'b'] },
      'in `states` all of its 2 streams',
    ],
  ];
  it.each(refused)('worker-check refuses a worker that reports %s', (_, fields, expected) =>
    expect(judge({ ...fields })).toBe(expected),
  );
});
