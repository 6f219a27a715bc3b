// Can every mutant still be made? Code moves, and a mutant that changes nothing would prove
// nothing. Does the table in docs/reliability.md have a row for each?
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Mutant } from '../../../scripts/mutants/mutant.ts';
import { mutants, mutated } from '../../../scripts/mutants/mutants.ts';
import { withTable } from '../../../scripts/mutants/table.ts';

const root = new URL('../../../', import.meta.url).pathname;
const tests = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
);

describe.each(mutants.map((mutant, index) => [index + 1, mutant] as const))(
  'mutant %i',
  (_, mutant) => {
    it(`${mutant.what}: the mutant finds its place once, and existing tests`, () => {
      expect(existsSync(`${root}${mutant.file}`)).toBe(true);
      expect(mutated(mutant, root)).not.toBe('');
      expect(mutant.tests.every((part) => tests.some((name) => name.includes(part)))).toBe(true);
    });
  },
);

it('there are at least forty mutants, each with a different bug', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(40);
  expect(new Set(mutants.map(({ what }) => what)).size).toBe(mutants.length);
});

describe('the table of mutants', () => {
  const mutant = (file: string, what: string): Mutant => ({
    file: `src/${file}.ts`,
    find: '',
    put: '',
    what,
    tests: [],
  });
  const rowsOf = (document: string): readonly string[] => document.split('\n').slice(4, -2);
  const empty = 'Text.\n<!-- mutants -->\n<!-- /mutants -->\n';
  const two = [mutant('a', 'forgets a | b'), mutant('c', 'counts c twice')];
  const caught = { number: 1, caughtBy: '`a.test.ts`: a | b', seconds: 3.4 };
  const before = withTable(empty, two, [caught]);

  it('has a row for each mutant, also for those that were not run', () => {
    expect(rowsOf(before)).toEqual([
      '| 1 | `a.ts` | forgets a \\| b | `a.test.ts`: a \\| b | 3 |',
      '| 2 | `c.ts` | counts c twice | not run yet |  |',
    ]);
    expect(withTable(before, two, [])).toBe(before);
  });

  it('keeps the result of a mutant that has another number or another file now', () => {
    const later = [mutant('n', 'is new'), mutant('moved/a', 'forgets a | b')];
    expect(rowsOf(withTable(before, later, []))).toEqual([
      '| 1 | `n.ts` | is new | not run yet |  |',
      '| 2 | `moved/a.ts` | forgets a \\| b | `a.test.ts`: a \\| b | 3 |',
    ]);
  });

  it('replaces the result of a mutant that was run again, and of no other', () => {
    const survived = { number: 1, caughtBy: undefined, seconds: 2 };
    expect(rowsOf(withTable(before, two, [survived]))).toEqual([
      '| 1 | `a.ts` | forgets a \\| b | **SURVIVED** | 2 |',
      '| 2 | `c.ts` | counts c twice | not run yet |  |',
    ]);
  });

  it('has in docs/reliability.md the numbers that --only takes (npm run generate)', () => {
    const document = readFileSync(`${root}docs/reliability.md`, 'utf8');
    expect(withTable(document, mutants, [])).toBe(document);
  });
});
