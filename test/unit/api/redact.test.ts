// Does a message ever show a part of a parameter's value?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redacted } from '../../../src/api/redact.ts';

const url = 'rtsp://admin:p%40ssw0rd@cam-1.example/main';

describe('a message', () => {
  it.each([
    [`${url}: Connection refused`, [url], '…: Connection refused'],
    ['login p@ssw0rd of admin failed', [url], 'login … of … failed'],
    ['exit code 1: Connection refused', [url], 'exit code 1: Connection refused'],
    ['port 554 of 5540', ['554'], 'port … of 5540'],
    ['a PIN 12, and 123', ['12', ''], 'a PIN …, and 123'],
    ['😀😁😂 is not allowed', ['x😁😂 is x'], '😀…not allowed'],
    ['100%', ['%zz'], '100%'],
  ])('the message %j with the parameters %j becomes %j', (message, values, text) => {
    expect(redacted(message, values)).toBe(text);
  });

  it('a message keeps no five characters of any parameter, and stays well-formed', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '😀', ':', '…'), maxLength: 40 });
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (message, values) => {
        const shown = redacted(message, values);
        expect(shown.isWellFormed()).toBe(true);
        for (const piece of shown.split('…'))
          for (let at = 0; at + 5 <= piece.length; at += 1)
            for (const value of values) expect(value).not.toContain(piece.slice(at, at + 5));
      }),
    );
  });
});
