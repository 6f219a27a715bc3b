// Is whatever a program says told in one short line, without what its parameters say?
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toldMessage } from '../../../src/worker/decide/told-message.ts';

const unit = fc.constantFrom(
  'a',
  'b',
  ' ',
  '\t',
  '\n',
  '\u001b[31m',
  '\u0007',
  '\u2028',
  '😀',
  '…',
);
const text = fc.string({ unit, maxLength: 60 });

it('a message is one line, bounded and well-formed, with no five characters of a parameter', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), text, text, (said, times, one, two) => {
      const message = toldMessage(`${said}${one}${said}`.repeat(times), { one, two });
      expect(message.length).toBeLessThanOrEqual(256);
      expect(message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      expect(message.isWellFormed()).toBe(true);
      for (const piece of message.split('…'))
        for (let at = 0; at + 5 <= piece.length; at += 1)
          for (const value of [one, two]) expect(value).not.toContain(piece.slice(at, at + 5));
    }),
    { numRuns: 100 },
  );
});

it.each([
  ['open rtsp://cam/main: Connection refused', 'open …: Connection refused'],
  ['login of a  b\tc  d failed', 'login of … failed'],
  ['\u001b[31merror\u001b[0m\u0007 in p\u001b[1massword', 'error in …'],
])('the message %j is reported as %j', (said, told) => {
  expect(
    toldMessage(said, { url: 'rtsp://cam/main', phrase: 'a  b\tc  d', secret: 'password' }),
  ).toBe(told);
});
