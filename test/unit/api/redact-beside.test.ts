// Does a message show long parts of the parameters of other streams?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactedBeside } from '../../../src/api/redact-beside.ts';

const url = 'rtsp://admin:p%40ssw0rd@cam-1.example/main';

describe('a message beside parameters of other streams', () => {
  it.each([
    [`${url}: Connection refused`, [url], '…: Connection refused'],
    ['login p@ssw0rd failed', [url], 'login … failed'],
    ['login hunter2 failed, hunter22 too', ['hunter2'], 'login … failed, hunter22 too'],
    [
      'exit code 1: Connection refused',
      [url, '1', 'exit', 'code'],
      'exit code 1: Connection refused',
    ],
    ['no rtsp://a', [url], 'no …'],
    ['…12345678', ['12345678'], '…'],
    ['x😁y', ['-- x😁y --'], 'x😁y'],
    ['100%', ['%zz', ''], '100%'],
  ])(
    'the message %j beside the parameters %j of other streams becomes %j',
    (message, values, text) => {
      expect(redactedBeside([message], values)).toEqual([text]);
    },
  );

  it('each of many messages is compared with all parameters of other streams', () =>
    expect(redactedBeside(['a topsecret', 'b', 'c password'], ['password', 'topsecret'])).toEqual([
      'a …',
      'b',
      'c …',
    ]));

  it('a message keeps no eight characters of any parameter of other streams, and no shorter one as a word', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', ':'), maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(text, { maxLength: 4 }),
        (messages, values) => {
          for (const shown of redactedBeside(messages, values)) {
            expect(shown.isWellFormed()).toBe(true);
            const pieces = shown.split('…');
            for (const piece of pieces)
              for (let at = 0; at + 8 <= piece.length; at += 1)
                for (const value of values) expect(value).not.toContain(piece.slice(at, at + 8));
            for (const value of values) if (value.length >= 5) expect(pieces).not.toContain(value);
          }
        },
      ),
    );
  });
});
