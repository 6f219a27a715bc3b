// Is each line of a log shown once, though its connection breaks?
import { describe, expect, it } from '@jest/globals';
import { Resumption } from '../../../../src/cli/cluster/resumption.ts';

const lines = [
  '2026-01-01T00:00:00.5Z a',
  '2026-01-01T00:00:00.51Z b',
  '2026-01-01T00:00:00.51Z c',
  '2026-01-01T00:00:00.51Z d',
  '2026-01-01T01:00:01.000000001+01:00 e f',
  '2026-01-01T00:00:02Z ',
];
const texts = ['a', 'b', 'c', 'd', 'e f', ''];

describe('a log whose connection breaks', () => {
  it.each(lines.map((_, count) => count))(
    'has each line once when it breaks after %i lines',
    (count) => {
      const resumed = new Resumption();
      const read = (some: readonly string[]): readonly string[] =>
        some.flatMap((line) => resumed.take(line) ?? []);
      expect(resumed.begin()).toEqual({});
      const first = read(lines.slice(0, count));
      const { since } = resumed.begin();
      const from = since instanceof Date ? since.getTime() : 0;
      const left = lines.filter((line) => Date.parse(line.split(' ')[0] ?? '') >= from);
      expect([...first, ...read(left)]).toEqual(texts);
    },
  );

  it('lines that are out of order are shown as long as the connection holds', () => {
    const resumed = new Resumption();
    resumed.begin();
    expect(lines.toReversed().map((line) => resumed.take(line))).toEqual(texts.toReversed());
  });

  it('a line without a time is shown as it is', () =>
    expect(new Resumption().take('no time')).toBe('no time'));
});
