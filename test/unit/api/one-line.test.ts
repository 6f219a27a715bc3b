import { expect, it } from '@jest/globals';
import { LONGEST_MESSAGE, oneLine } from '../../../src/api/text.ts';

it.each([
  ['pods "a" is forbidden', 'pods "a" is forbidden'],
  ['  two\r\nlines\u2028and a third\t', 'two lines and a third'],
  ['\u001b[31mred\u0007', '[31mred'],
])('the text %j becomes %j in a message', (text, line) => expect(oneLine(text)).toBe(line));

it('a message cuts a long text, and ends in an ellipsis then', () => {
  const line = oneLine('x'.repeat(1_000_000));
  expect(line).toHaveLength(LONGEST_MESSAGE);
  expect(line.endsWith('…')).toBe(true);
});
