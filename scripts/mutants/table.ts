// The table of mutants in docs/reliability.md: which test caught each one, and how long that took.
import type { Mutant } from './mutant.ts';
import type { Outcome } from './run-tests.ts';

export type Found = Outcome & { readonly number: number };

const section = /(<!-- mutants -->\n)([\s\S]*)(<!-- \/mutants -->)/;

/**
 * The document with a row for each mutant, numbered as `--only` numbers them. A mutant that was not
 * run keeps the outcome of its earlier row, which is found by the description: numbers change when
 * a mutant is added before others.
 */
export function withTable(
  document: string,
  mutants: readonly Mutant[],
  found: readonly Found[],
): string {
  const [, start = '', table = '', end = ''] = section.exec(document) ?? [];
  if (start === '') throw new Error('the document has no markers for the table of mutants');
  const earlier = outcomesIn(table);
  const rows = mutants.map(({ file, what }, index) => {
    const run = found.find(({ number }) => number === index + 1);
    const outcome = run === undefined ? earlier.get(cell(what)) : outcomeOf(run);
    return `| ${index + 1} | \`${file.replace('src/', '')}\` | ${cell(what)} | ${outcome ?? 'not run yet | '} |`;
  });
  const lines = ['| | in | the bug | caught by | s |', '| --- | --- | --- | --- | --- |', ...rows];
  return document.replace(section, () => `${start}${lines.join('\n')}\n${end}`);
}

/** The two last cells of each row, by its description. */
function outcomesIn(table: string): ReadonlyMap<string, string> {
  const rows = table.matchAll(/^\| \d+ \| `[^`]+` \| (.*?) \| (.* \| \d*) \|$/gm);
  return new Map([...rows].map(([, what = '', outcome = '']) => [what, outcome]));
}

function outcomeOf({ caughtBy, seconds }: Found): string {
  return `${caughtBy === undefined ? '**SURVIVED**' : cell(caughtBy)} | ${seconds.toFixed(0)}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
