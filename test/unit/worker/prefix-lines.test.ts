import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { prefixLines } from '../../../src/worker/launch/prefix-lines.ts';
import { createLog } from '../../../src/worker/report/log.ts';

function linesOf(chunks: readonly string[]): readonly string[] {
  const source = new PassThrough();
  const lines: string[] = [];
  const prefixed = prefixLines(source, '[a] ', (line) => lines.push(line.toString('latin1')));
  for (const chunk of chunks) source.emit('data', Buffer.from(chunk, 'latin1'));
  prefixed.finish();
  return lines;
}

describe('output', () => {
  const rows: [title: string, chunks: readonly string[], lines: readonly string[]][] = [
    ['lines', ['x\ny\n'], ['[a] x\n', '[a] y\n']],
    ['a line in pieces', ['x', 'y', 'z\n'], ['[a] xyz\n']],
    ['an unfinished last line', ['x\ny'], ['[a] x\n', '[a] y\n']],
    ['an empty line', ['\n'], ['[a] \n']],
    ['bytes that are no text', ['\xff\xfe\n'], ['[a] \xff\xfe\n']],
    ['nothing', [], []],
  ];
  it.each(rows)('prefixLines puts the name of the stream before %s', (_, chunks, lines) =>
    expect(linesOf(chunks)).toEqual(lines),
  );

  it('prefixLines cuts a line without an end', () => {
    const lines = linesOf([...Array.from({ length: 40 }, () => 'x'.repeat(1_000)), '\n']);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.join('').replaceAll(/\[a\] |\n/g, '')).toBe('x'.repeat(40_000));
  });

  it('the log quotes a name that would look like a second line', () => {
    const written: string[] = [];
    createLog(
      (line) => written.push(line),
      () => new Date(0),
    ).warn('ended', { stream: 'a\n1970 info fine', code: 1, no: undefined });
    expect(written).toEqual([
      '1970-01-01T00:00:00.000Z warn ended stream="a\\n1970 info fine" code=1\n',
    ]);
  });
});
