// Which line of a process is its last?
import { expect, it } from '@jest/globals';
import { LastLine } from '../../../src/worker/launch/last-line.ts';

it.each([
  ['the last one', ['one', 'two'], 'two'],
  ['no blank one', ['one', '', ' \t\r'], 'one'],
  ['what stands there at last, of a line that was written over', ['10 %\r20 %\rdone\r'], 'done'],
  ['a bounded part of a long one', ['x'.repeat(5_000)], 'x'.repeat(1_000)],
  ['none of a process that was silent', [], ''],
])('the last line of a process is %s', (_, lines, last) => {
  const seen = new LastLine();
  for (const line of lines) seen.see(Buffer.from(line));
  expect(seen.text).toBe(last);
});

it('the last line of a process is a copy of its buffer', () => {
  const buffer = Buffer.from('one');
  const seen = new LastLine();
  seen.see(buffer);
  buffer.fill('x');
  expect(seen.text).toBe('one');
});
