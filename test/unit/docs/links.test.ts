// Does every link of the documentation lead somewhere, and is every page in the index?
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const inDocs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
);
const inSamples = readdirSync(`${root}samples`, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('README.md'),
);
const top = readdirSync(root).filter((file) => file.endsWith('.md'));
const pages = [
  ...top,
  ...inDocs.map((file) => `docs/${file}`),
  ...inSamples.map((file) => `samples/${file}`),
];

const read = (page: string): string => readFileSync(`${root}${page}`, 'utf8');

/** Without blocks of code and code within a line. */
const prose = (text: string): string =>
  text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, 'code');

function linksIn(page: string): readonly {
  readonly link: string;
  readonly file: string;
  readonly anchor: string | undefined;
}[] {
  return [...prose(read(page)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(
    ([, link = '']) => {
      const [to = '', anchor] = link.split('#');
      return { link, file: to === '' ? page : path.join(path.dirname(page), to), anchor };
    },
  );
}

/** As GitHub names them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = read(page)
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

it.each(pages)('the page %s links to existing pages', (page) => {
  const broken = linksIn(page).filter(
    ({ file, anchor }) =>
      !existsSync(`${root}${file}`) ||
      (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor)),
  );
  expect(broken.map(({ link }) => link)).toEqual([]);
});

it('docs/README.md links to every page', () => {
  const linked = new Set(linksIn('docs/README.md').map(({ file }) => file));
  expect(
    inDocs
      .map((file) => `docs/${file}`)
      .filter((page) => page !== 'docs/README.md' && !linked.has(page)),
  ).toEqual([]);
});
