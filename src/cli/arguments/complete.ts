// Which words may stand at the end of a command line? In the form that kubectl reads: one word a
// line, then whether files may follow.
import type { Shape } from './command.ts';
import { flagsOf, takesFile } from './completion.ts';

/** What may follow: words with their meaning, and files. */
type Offer = {
  readonly words?: readonly (readonly [word: string, meaning: string])[];
  readonly files?: boolean;
};

/** Directives of cobra, which kubectl is made with: may the shell offer files as well? */
const FILES = ':0';
const NO_FILES = ':4';

/**
 * `words`: what is typed after the program's name; the last is the one to be completed, and may be
 * empty.
 */
export function completionsFor(shapes: readonly Shape[], words: readonly string[]): string {
  const start = words.at(-1) ?? '';
  const { words: offered = [], files = false } = offerAfter(shapes, words.slice(0, -1), start);
  return [
    ...offered
      .filter(([word]) => word.startsWith(start))
      .map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
    files ? FILES : NO_FILES,
    '',
  ].join('\n');
}

function offerAfter(shapes: readonly Shape[], typed: readonly string[], start: string): Offer {
  const [name] = typed;
  if (name === undefined) return { words: shapes.map((shape) => [shape.name, shape.summary]) };
  const shape = shapes.find((it) => it.name === name);
  if (shape === undefined) return {};
  const flags = flagsOf(shape);
  const before = flags.find(({ spellings }) => spellings.includes(typed.at(-1) ?? ''))?.flag;
  if (before?.type === 'choice') return { words: before.among.map((value) => [value, '']) };
  if (before !== undefined && before.type !== 'switch') return { files: takesFile(before) };
  if (start.startsWith('-'))
    return { words: flags.map(({ name: flag, flag: { help } }) => [`--${flag}`, help]) };
  return { files: shape.operands.usage.includes('FILE') };
}
