// Which states of streams does the operator read of an answer, and what does it ignore?
import { describe, expect, it } from '@jest/globals';
import { readReport } from '../../../src/api/report.ts';

const read = (streams: unknown, states?: unknown): object => {
  const { version: _, ...rest } = readReport(JSON.stringify({ version: 1, streams, states })) ?? {
    version: 1,
  };
  return rest;
};

describe('states of streams in an answer', () => {
  it('the state of a stream is read with its time in whole seconds and its message in one line', () => {
    const stream = {
      state: 'Restarting',
      restarts: 7,
      since: '2026-01-01T00:00:00.123Z',
      message: 'exit code 1:\nConnection\u001b[31m refused',
    };
    expect(read({ a: stream }, { Running: 8, Restarting: 1 })).toEqual({
      streams: {
        a: {
          state: 'Restarting',
          restarts: 7,
          since: '2026-01-01T00:00:00Z',
          message: 'exit code 1: Connection [31m refused',
        },
      },
      states: { Running: 8, Restarting: 1 },
    });
  });

  it('a stream may report its state alone', () => {
    expect(read({ a: { state: 'Failed' } })).toEqual({
      streams: { a: { state: 'Failed', restarts: 0 } },
    });
  });

  it('a worker with all its streams running reports an empty list of states', () => {
    expect(read({})).toEqual({ streams: {} });
  });

  it('an answer without states of streams reports none', () => {
    expect(read(undefined, { Running: 8 })).toEqual({});
  });

  const unknown = 'a stream with an unknown `state`, or with `restarts` that is not a whole number';
  it.each([
    ['no object', [1], { ignored: '`streams` that is not an object' }],
    ['a state that is none', { a: { state: 'Well' } }, { streams: {}, ignored: unknown }],
    [
      'restarts that are no number',
      { a: { state: 'Failed', restarts: '7' } },
      { streams: {}, ignored: unknown },
    ],
    ['a stream that is no object', { a: 1 }, { streams: {}, ignored: unknown }],
    [
      'a time that is none',
      { a: { state: 'Failed', since: 'yesterday' } },
      { streams: { a: { state: 'Failed', restarts: 0 } } },
    ],
    [
      'a message that is no text',
      { a: { state: 'Failed', message: { deep: [] } } },
      { streams: { a: { state: 'Failed', restarts: 0 } } },
    ],
  ])('states of streams are ignored where the answer has %s', (_what, streams, expected) => {
    expect(read(streams)).toEqual(expected);
  });

  it('the operator reads the states of at most a hundred streams', () => {
    const names = Array.from({ length: 101 }, (_, index) => `s${index}`);
    const many = Object.fromEntries(names.map((name) => [name, { state: 'Failed' }]));
    expect(read(many)).toMatchObject({
      streams: expect.not.objectContaining({ s100: expect.anything() }),
      ignored: 'more than 100 `streams`',
    });
  });

  it('counts of states are read where they are whole numbers of known states', () => {
    expect(read({}, { Running: -1, Failed: 2, Well: 3, Restarting: 1.5 })).toEqual({
      streams: {},
      states: { Failed: 2 },
    });
  });
});
