// Is each oversized list and assignment refused quickly, with a message that quotes nothing of it?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAssignment } from '../../../src/api/assignment.ts';
import { MOST_PROBLEMS, MOST_STREAMS, MOST_TEXT } from '../../../src/api/bounds.ts';
import { readStreamList } from '../../../src/api/stream-list.ts';

const MIB = 1024 * 1024;
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('');

const parameters = `&p {${times(30, (index) => `k${index}: "${'x'.repeat(1_000)}", `)}z: y}`;
const aliased = `- {name: s, parameters: ${parameters}}\n${times(28_000, (index) => `- {name: s${index}, parameters: *p}\n`)}`;
const jobs = `[${times(60_000, (index) => `s${index},`)}x]`;
const shared = `workloads:\n  w: {jobs: &j ${jobs}}\n${times(20_000, (index) => `  w${index}: {jobs: *j}\n`)}version: 1\n`;
const bomb = (key: string): string =>
  `${key}: &a0 [x]\n${times(30, (index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]\n`)}version: 1\n`;

describe('a list', () => {
  const problemOf = (text: string) => {
    const read = readStreamList(text, 'lineup/streams.txt');
    if (read.ok) throw new Error(`it was taken: ${read.streams.length} streams`);
    return read;
  };

  it.each([
    [
      'whose streams share their parameters by an alias',
      aliased,
      'aliases (*name) are not allowed',
    ],
    [
      'of aliases of aliases',
      `- &a [x]\n- &b [*a, *a]\n- [*b, *b]\n`,
      'aliases (*name) are not allowed',
    ],
    ['with a merge key', '- &a {name: b}\n- {<<: *a}\n', 'aliases (*name) are not allowed'],
    ['nested without end', `- ${'['.repeat(100_000)}`, 'nested deeper than 16'],
    ['of dashes alone', '- '.repeat(MIB / 2), 'marks of YAML'],
    ['of empty lists', `[${'[],'.repeat(MIB / 3 - 1)}]`, 'marks of YAML'],
    ['of pairs', `[${'a: b, '.repeat(MIB / 6 - 1)}]`, 'marks of YAML'],
    ['of one letter each', '- a\n'.repeat(MIB / 4), 'marks of YAML'],
    ['longer than a ConfigMap', `- ${'x'.repeat(MOST_TEXT)}`, `allowed are ${MOST_TEXT}`],
  ])('a list %s is refused', (_, text, message) => {
    expect(problemOf(text).problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ]);
  });

  it.each([
    ['lines', times(209_598, (index) => `${index.toString(36)}\n`)],
    ['YAML', `[${times(MOST_STREAMS + 1, (index) => `${index},`)}]`],
  ])('a list of more streams than a pool can have is refused with the limit: %s', (_, text) => {
    expect(problemOf(text)).toMatchObject({
      isTooMany: true,
      problems: [{ message: expect.stringContaining(`can have at most ${MOST_STREAMS}`) }],
    });
  });

  it('a list with a mistake in every line is refused with the first of them', () => {
    expect(problemOf('=5\n'.repeat(100_000)).problems).toHaveLength(MOST_PROBLEMS);
    expect(
      problemOf(`- {${times(50_000, (index) => `k${index}: 1, `)}}\n`).problems.length,
    ).toBeLessThanOrEqual(MOST_PROBLEMS);
  });

  it('a list that begins with many empty lines or comments is read in linear time', () => {
    const text = `${'\n'.repeat(100_000)}${' \n#\n'.repeat(100_000)}a\n`;
    expect(readStreamList(text, '')).toMatchObject({
      ok: true,
      streams: [{ name: 'a' }],
    });
  });

  it('a list with half a million comments in one line is read in linear time', () => {
    const text = `a${' #'.repeat(MIB / 2)}\r`;
    expect(readStreamList(text, '')).toMatchObject({
      ok: true,
      streams: [{ name: 'a' }],
    });
  });
});

describe('an assignment', () => {
  it.each([
    ['whose workers share their jobs by an alias', shared, 'aliases (*name) are not allowed'],
    ['of aliases of aliases', bomb('workloads'), 'aliases (*name) are not allowed'],
    ['nested without end', `workloads: ${'{a: '.repeat(10_000)}`, 'nested deeper than 16'],
    ['of nothing but workers', `workloads: {${'a,'.repeat(MIB / 2 - 10)}}`, 'marks of YAML'],
    ['longer than a ConfigMap', `#${'x'.repeat(MOST_TEXT)}`, `allowed are ${MOST_TEXT}`],
    [
      'of a worker whose name is a book',
      `workloads: {${'x'.repeat(100_000)}: 1}\nversion: 1`,
      'not a mapping with `jobs`',
    ],
    [
      'of a format that is a book',
      `format: ${'x'.repeat(100_000)}\nworkloads: {}\nversion: 1`,
      'unknown format',
    ],
  ])('an assignment %s is refused in one short line', (_, text, problem) => {
    const read = readAssignment(text);
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
    expect(JSON.stringify(read).length).toBeLessThan(500);
  });
});

describe('a problem of a list', () => {
  const secret = 'hunter2';
  it.each([
    `PASSWORD=${secret}\n`,
    `a\n${secret}=x${secret}\n`,
    `- "${secret}\n`,
    `- *${secret}\n`,
    `- !${secret} a\n`,
    `- !!${secret} a\n`,
    `- !x!${secret} a\n`,
    `- !<${secret}> a\n`,
    `- {name: a, weight: ${secret}}\n`,
    `- {name: a, parameters: {${secret}: [${secret}]}}\n`,
    `- {name: " ${secret}"}\n`,
    `--- ${secret}\n- ${secret}: [\n`,
    `[${secret}: {${secret}]\n`,
  ])('the message about the list %j quotes nothing of it', (text) => {
    const read = readStreamList(text, 'theirs/key');
    expect(read.ok).toBe(false);
    expect(JSON.stringify(read)).not.toContain(secret);
  });

  it('the message about a broken list quotes nothing of it, for any text', () => {
    const piece = fc.constantFrom(
      secret,
      '- ',
      ': ',
      '\n',
      '  ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '&',
      '*',
      '!',
      '!!',
      '|',
      '>',
      '%',
      '---',
      '=',
      'name',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const read = readStreamList(pieces.join(''), 'theirs/key');
        if (!read.ok) expect(JSON.stringify(read)).not.toContain(secret);
      }),
      { numRuns: 2_000 },
    );
  });
});
