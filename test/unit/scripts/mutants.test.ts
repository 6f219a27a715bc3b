// Can every mutant still be made? Code moves, and a mutant that changes nothing would prove
// nothing.
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { mutants, mutated } from '../../../scripts/mutants/mutants.ts';

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
