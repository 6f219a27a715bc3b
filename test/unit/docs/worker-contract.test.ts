// Does the contract list the promises that the checker tests, with the same numbers?
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { promises } from '../../../src/conformance/promises.ts';

it('docs/worker-contract.md numbers the promises like the checker', () => {
  const text = readFileSync(new URL('../../../docs/worker-contract.md', import.meta.url), 'utf8');
  const numbered = [...text.matchAll(/^(\d+)\. \*\*([a-z-]+)\*\*/gm)].map(
    ([, number, id]) => `${number} ${id}`,
  );
  expect(numbered).toEqual(promises.map(({ id }, index) => `${index + 1} ${id}`));
});
