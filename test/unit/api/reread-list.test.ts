// Is an edited list read as if it were read from its beginning?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rereadStreamList } from '../../../src/api/reread-list.ts';
import { readStreamList } from '../../../src/api/stream-list.ts';

const SOURCE = 'lineup/all';
const read = (text: string) => readStreamList(text, SOURCE);

const again = (before: string, text: string) =>
  rereadStreamList(text, SOURCE, { text: before, read: read(before) });

describe('a list of lines that is edited', () => {
  it.each([
    ['a line is renamed', 'a\nb\nc\n', 'a\nx\nc\n'],
    ['a line is added at the beginning', 'a\nb', 'x\na\nb'],
    ['a line is added at the end', 'a\nb', 'a\nb\nx'],
    ['a line is removed', 'a\nb\nc', 'a\nc'],
    ['the last line break is removed', 'a\nb\n', 'a\nb'],
    ['a line grows by its end', 'a\nb\nc', 'a\nbb\nc'],
    ['a line grows by its beginning', 'a\nb\nc', 'a\nbb=5\nc'],
    ['two equal lines become one', 'a\na\na\n', 'a\na\n'],
    ['lines become comments', 'a\nb\nc', 'a\n#b\nc'],
    ['all lines go', 'a\nb', ''],
    ['all lines come', '', 'a\nb'],
    ['nothing changes', 'a\nb', 'a\nb'],
  ])('is read the same when %s', (_, before, text) => {
    expect(again(before, text)).toEqual(read(text));
  });

  it('keeps the streams of lines that stay as the same objects', () => {
    const before = read('a\nb\nc\nd');
    const after = rereadStreamList('a\nx\ny\nd', SOURCE, { text: 'a\nb\nc\nd', read: before });
    if (!before.ok || after?.ok !== true) throw new Error('not read');
    expect(after.streams[0]).toBe(before.streams[0]);
    expect(after.streams[3]).toBe(before.streams[3]);
  });

  it.each([
    ['has a mistake', 'a\nb', 'a\nb=x'],
    ['had a mistake', 'a\nb=x', 'a\nb'],
    ['becomes YAML', 'a\nb', '- a\n- b'],
    ['was YAML', '- a\n- b', 'a\nb'],
  ])('is read as a whole when it %s', (_, before, text) => {
    expect(again(before, text)).toBeUndefined();
  });

  it('is read the same after any edit', () => {
    const line = fc.oneof(
      fc.constantFrom('', '#', 'a', 'b', 'ab', 'a=5', 'b suspend', ' a ', 'a # b', '\r'),
      fc.string({ maxLength: 4 }),
    );
    const lines = fc.array(line, { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, lines, lines, fc.boolean(), (head, gone, come, tail, isLong) => {
        const long = isLong ? Array.from({ length: 600 }, (_, index) => `long-${index}`) : [];
        const before = [...long, ...head, ...gone, ...tail, ...long].join('\n');
        const text = [...long, ...head, ...come, ...tail, ...long].join('\n');
        const reread = again(before, text);
        if (reread !== undefined) expect(reread).toEqual(read(text));
      }),
      { numRuns: 300 },
    );
  });
});
