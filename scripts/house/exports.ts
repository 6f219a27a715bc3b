// Which exported names of src does no other file import?
import path from 'node:path';
import type { Source } from './style.ts';

/** Their exports are for programs outside of this repository. */
const PUBLIC: ReadonlySet<string> = new Set(['src/worker/index.ts']);

const declared =
  /^export (?:async |abstract )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
const listed = /^(import|export) (?:type )?\{([^{}]*)\}(?: from '([^']+)')?/gm;
const late = /\{([^{}]*)\} = await import\('([^']+)'\)/g;
const whole = /(?:^(?:import|export) (?:type )?\*[^']* from|(?<!\} = await )import\() ?'([^']+)'/gm;

/** `a, type b as c`: the names that the module has, or those that a list gives them. */
const namesIn = (list: string, side: 'inside' | 'outside'): readonly string[] =>
  list.split(',').flatMap((part) => {
    const [name = '', alias = name] = part
      .trim()
      .replace(/^type /, '')
      .split(/ as |: /);
    return name === '' ? [] : [side === 'inside' ? name : alias];
  });

const exportedBy = (text: string): ReadonlySet<string> =>
  new Set([
    ...[...text.matchAll(declared)].map(([, name = '']) => name),
    ...[...text.matchAll(listed)].flatMap(([, keyword, list = '']) =>
      keyword === 'export' ? namesIn(list, 'outside') : [],
    ),
  ]);

type Import = { readonly from: string; readonly names: readonly string[] };

/** `*` stands for all names of a module that is imported as a whole. */
const importsOf = (text: string): readonly Import[] => [
  ...[...text.matchAll(listed)].map(
    ([, , list = '', from = '']): Import => ({ from, names: namesIn(list, 'inside') }),
  ),
  ...[...text.matchAll(late)].map(
    ([, list = '', from = '']): Import => ({ from, names: namesIn(list, 'inside') }),
  ),
  ...[...text.matchAll(whole)].map(([, from = '']): Import => ({ from, names: ['*'] })),
];

/** `sources`: src, and all that may import it. */
export function unusedExports(sources: readonly Source[]): readonly string[] {
  const texts = sources.map(({ file, lines }) => ({ file, text: lines.join('\n') }));
  const imported = new Set(
    texts.flatMap(({ file, text }) =>
      importsOf(text).flatMap(({ from, names }) => {
        const target = path.posix.join(path.posix.dirname(file), from);
        return names.map((name) => `${target} ${name}`);
      }),
    ),
  );
  return texts.flatMap(({ file, text }) => {
    if (!file.startsWith('src/') || PUBLIC.has(file) || imported.has(`${file} *`)) return [];
    return [...exportedBy(text)].flatMap((name) =>
      imported.has(`${file} ${name}`)
        ? []
        : [`${file} exports ${name}, which no other file imports: drop the export`],
    );
  });
}
