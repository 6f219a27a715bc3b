import { describe, expect, it } from '@jest/globals';
import {
  cutLine,
  type Line,
  paint,
  type Table,
  tableLines,
  textOf,
} from '../../../src/cli/render.ts';

const texts = (lines: readonly Line[]): readonly string[] => lines.map(textOf);
const items = (...names: readonly string[]) => names.map((text) => ({ text }));

const table: Table = {
  columns: [
    { title: 'WORKER' },
    { title: 'READY' },
    { title: '#', align: 'right' },
    { title: 'STREAMS' },
  ],
  rows: [
    [
      'swarm-worker-0',
      { text: 'yes', style: 'good' },
      '9',
      items(
        'xxrtve1',
        'xxrtve2',
        'zrtve2:new',
        'zrtve1:new',
        'zrtve0:new',
        'cctv0:updated',
        'cars:new',
      ),
    ],
    [
      'swarm-worker-1',
      { text: 'no', style: 'bad' },
      '10',
      { text: 'http://10.0.0.1:9090/internal/version does not answer' },
    ],
    ['swarm-worker-2', 'yes', '0', []],
  ],
};

describe('a table', () => {
  const rows: readonly (readonly [width: number, lines: readonly string[]])[] = [
    [
      60,
      [
        'WORKER          READY   #  STREAMS',
        'swarm-worker-0  yes     9  xxrtve1 xxrtve2 zrtve2:new +4',
        'swarm-worker-1  no     10  http://10.0.0.1:9090/internal/ve…',
        'swarm-worker-2  yes     0',
      ],
    ],
    [
      80,
      [
        'WORKER          READY   #  STREAMS',
        'swarm-worker-0  yes     9  xxrtve1 xxrtve2 zrtve2:new zrtve1:new zrtve0:new +2',
        'swarm-worker-1  no     10  http://10.0.0.1:9090/internal/version does not answer',
        'swarm-worker-2  yes     0',
      ],
    ],
    [
      140,
      [
        'WORKER          READY   #  STREAMS',
        'swarm-worker-0  yes     9  xxrtve1 xxrtve2 zrtve2:new zrtve1:new zrtve0:new cctv0:updated cars:new',
        'swarm-worker-1  no     10  http://10.0.0.1:9090/internal/version does not answer',
        'swarm-worker-2  yes     0',
      ],
    ],
    [
      30,
      [
        'WORKER          READY   #  ST…',
        'swarm-worker-0  yes     9  +7',
        'swarm-worker-1  no     10  ht…',
        'swarm-worker-2  yes     0',
      ],
    ],
    [10, ['WORKER   …', 'swarm-wor…', 'swarm-wor…', 'swarm-wor…']],
  ];
  it.each(rows)('a table fits into %i columns', (width, lines) => {
    const drawn = texts(tableLines(table, width));
    expect(drawn.map((line) => line.trimEnd())).toEqual(lines);
    expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThanOrEqual(width);
  });

  it('a table counts characters of double width as two', () => {
    const wide: Table = {
      columns: [{ title: 'A' }, { title: 'B' }],
      rows: [
        ['電視', 'x'],
        ['tv', 'y'],
      ],
    };
    expect(texts(tableLines(wide, 20))).toEqual(['A     B', '電視  x', 'tv    y']);
  });
});

describe('a line', () => {
  const rows: readonly (readonly [line: string, width: number, cut: string])[] = [
    ['as long', 7, 'as long'],
    ['too long', 7, 'too lo…'],
    ['電視台', 5, '電視…'],
    ['電視台', 4, '電…'],
    ['x', 0, ''],
  ];
  it.each(rows)('the line %j is cut to %i columns', (line, width, cut) =>
    expect(textOf(cutLine(line, width))).toBe(cut),
  );

  it('a line has colours only where they are asked for', () => {
    const line = [{ text: 'ok', style: 'good' } as const, { text: ' then' }];
    expect(paint(line, true)).toBe('\u001b[32mok\u001b[0m then');
    expect(paint(line, false)).toBe('ok then');
  });

  it('a line replaces control characters in the name of a stream', () =>
    expect(paint('a\u001b[2Jb\nc', true)).toBe('a�[2Jb�c'));
});
