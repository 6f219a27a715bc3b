// Does ARCHITECTURE.md name only files that exist, and tests by titles that they have?
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const text = readFileSync(`${root}ARCHITECTURE.md`, 'utf8').replaceAll(/\s+/g, ' ');
const [map = '', rest = ''] = text.split('## Code map')[1]?.split('## Invariants') ?? [];

it('each folder in the code map of ARCHITECTURE.md exists', () => {
  const rows = map.split('| beside `src/` |');
  const first = [...(rows[0] ?? '').matchAll(/ \| ((?:`[\w./]+`,? ?)+)\|/g)].flatMap(
    ([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => `src/${name}`),
  );
  const beside = [...(rows[1] ?? '').matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, name]) => name);
  expect(first.length).toBeGreaterThan(15);
  expect([...first, ...beside].filter((name) => !existsSync(`${root}${name}`))).toEqual([]);
});

const named = [
  ...rest.matchAll(/`((?:unit|integration)\/[\w./-]+\.test\.ts)`(?::((?:,? \*[^*]+\*)+))?/g),
];

it.each(
  named.flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/\*([^*]+)\*/g)].map(([, title = '']) => [file, title] as const),
  ),
)('%s has a test called %s', (file, title) => {
  const tests = readFileSync(`${root}test/${file}`, 'utf8').replaceAll("\\'", "'");
  const parts = title.split('…').map((part) => part.trim());
  expect(parts.filter((part) => !tests.includes(part))).toEqual([]);
});

it('each test file that ARCHITECTURE.md names exists', () => {
  const files = [...rest.matchAll(/`([\w-]+\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(60);
  const isThere = (file: string): boolean =>
    [file, `test/${file}`, `src/${file}`].some((at) => existsSync(`${root}${at}`));
  expect(files.filter((file) => !isThere(file))).toEqual([]);
});
