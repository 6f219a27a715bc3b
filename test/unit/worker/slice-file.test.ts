import { describe, expect, it } from '@jest/globals';
import { type Slice, writeAssignment } from '../../../src/api/assignment.ts';
import {
  type KnownSlice,
  learn,
  type Mounted,
  nothingKnown,
  sliceOf,
} from '../../../src/worker/file/slice-file.ts';
import { slice } from './builders.ts';

/** A file in which worker w has these jobs; without jobs it has no entry. */
const file = (version: number, jobs?: readonly string[], since = version): string =>
  writeAssignment({
    version,
    workloads: new Map<string, Slice>([['other', slice(1, ['z'])], ...entry(jobs, since)]),
  });
const entry = (jobs: readonly string[] | undefined, version: number): [string, Slice][] =>
  jobs === undefined ? [] : [['w', slice(version, jobs)]];

const one = (text: string): Mounted => ({ texts: new Map([['config.yml', text]]) });
const shards = (texts: Record<string, string>): Mounted => ({
  texts: new Map(Object.entries(texts)),
});
const none: Mounted = { texts: new Map() };

describe('the slice of one worker, by the mounted files,', () => {
  type Row = [
    title: string,
    readings: readonly Mounted[],
    want: { slice?: Slice; problem?: string },
  ];
  const rows: Row[] = [
    ['no file yet: nothing', [none], { problem: 'no file exists yet' }],
    ['a file', [one(file(9, ['a'], 7))], { slice: slice(7, ['a']) }],
    ['a newer file', [one(file(1, ['a'])), one(file(2, ['b']))], { slice: slice(2, ['b']) }],
    [
      'an older file',
      [one(file(2, ['b'])), one(file(1, ['a']))],
      { slice: slice(2, ['b']), problem: 'version 1 is older than version 2' },
    ],
    [
      'the same version, changed by hand',
      [one(file(2, ['b'])), one(file(2, ['c']))],
      { slice: slice(2, ['c']) },
    ],
    [
      'nonsense',
      [one(file(2, ['b'])), one('{')],
      { slice: slice(2, ['b']), problem: 'config.yml: not YAML' },
    ],
    [
      'an empty file',
      [one(file(2, ['b'])), one('')],
      { slice: slice(2, ['b']), problem: 'config.yml: not' },
    ],
    [
      'a text that the YAML reader refuses',
      [one(file(2, ['b'])), one('format: {toString: 1}')],
      { slice: slice(2, ['b']), problem: 'config.yml' },
    ],
    [
      'no version',
      [one(file(2, ['b'])), one('workloads: {}')],
      { slice: slice(2, ['b']), problem: '`version`' },
    ],
    [
      'nonsense, then a good file',
      [one(file(2, ['b'])), one('{'), one(file(3, ['c']))],
      { slice: slice(3, ['c']) },
    ],
    [
      'nonsense, then what was there before',
      [one(file(2, ['b'])), one('{'), one(file(2, ['b']))],
      { slice: slice(2, ['b']) },
    ],
    [
      'the file is gone',
      [one(file(2, ['b'])), none],
      { slice: slice(2, ['b']), problem: 'the file is missing' },
    ],
    [
      'unreadable',
      [one(file(2, ['b'])), { unreadable: 'EIO' }],
      { slice: slice(2, ['b']), problem: 'EIO' },
    ],
    ['a newer file without an entry', [one(file(2, ['b'])), one(file(3))], { slice: slice(3, []) }],
    ['an entry without jobs', [one(file(3, [], 2))], { slice: slice(2, []) }],
    [
      'the newest entry of two shards',
      [shards({ 'config-0.yml': file(8, ['a'], 7), 'config-1.yml': file(9, ['b']) })],
      { slice: slice(9, ['b']) },
    ],
    [
      'the shard with an entry',
      [shards({ 'config-0.yml': file(9), 'config-1.yml': file(8, ['b'], 3) })],
      { slice: slice(3, ['b']) },
    ],
    [
      'no shard has an entry any more',
      [shards({ 'config-0.yml': file(9), 'config-1.yml': file(8) })],
      { slice: slice(9, []) },
    ],
    [
      'a shard that was never good may have the entry',
      [shards({ 'config-0.yml': file(9), 'config-1.yml': '{' })],
      { problem: 'config-1.yml' },
    ],
    [
      'a shard that has gone stays in force',
      [
        shards({ 'config-0.yml': file(9), 'config-1.yml': file(9, ['b']) }),
        shards({ 'config-0.yml': file(9) }),
      ],
      { slice: slice(9, ['b']), problem: 'config-1.yml: the file is missing' },
    ],
  ];
  it.each(rows)('the worker reads its slice from the mounted files: %s', (_, readings, want) => {
    const known = readings.reduce<KnownSlice>(learn, nothingKnown);
    expect(sliceOf(known, 'w')).toEqual(want.slice);
    expect(known.problems.join('\n')).toContain(want.problem ?? '');
    expect(known.problems.length > 0).toBe(want.problem !== undefined);
  });
});
