// Which words may stand at the end of a command line? In the form that kubectl reads: one word a
// line, then whether files may follow.
import type { Flag } from '../../flags.ts';
import type { Shape } from './command.ts';
import { flagsOf, takesFile } from './completion.ts';

type Word = readonly [word: string, meaning: string];

/** Directives of cobra, which kubectl is made with: may the shell offer files as well? */
const FILES = ':0';
const NO_FILES = ':4';

/**
 * `words`: what is typed after the program's name; the last is the one to be completed, and may be
 * empty.
 */
export function completionsFor(shapes: readonly Shape[], words: readonly string[]): string {
  const typed = words.slice(0, -1);
  const start = words.at(-1) ?? '';
  const [name] = typed;
  if (name === undefined)
    return wordLines(
      start,
      shapes.map((shape) => [shape.name, shape.summary]),
      NO_FILES,
    );
  const shape = shapes.find((it) => it.name === name);
  if (shape === undefined) return wordLines(start, [], NO_FILES);
  const awaited = awaitedBy(shape, typed.at(-1) ?? '');
  if (awaited !== undefined)
    return wordLines(
      start,
      awaited.type === 'choice' ? awaited.among.map((value) => [value, '']) : [],
      takesFile(awaited) ? FILES : NO_FILES,
    );
  if (start.startsWith('-'))
    return wordLines(
      start,
      flagsOf(shape).map(({ name: flag, flag: { help } }) => [`--${flag}`, help]),
      NO_FILES,
    );
  return wordLines(start, [], shape.operands.usage.includes('FILE') ? FILES : NO_FILES);
}

/** The flag that this word is, if a value has to follow it. */
const awaitedBy = (shape: Shape, word: string): Flag | undefined =>
  flagsOf(shape).find(({ flag, spellings }) => flag.type !== 'switch' && spellings.includes(word))
    ?.flag;

function wordLines(start: string, words: readonly Word[], files: string): string {
  const fitting = words.filter(([word]) => word.startsWith(start));
  return [
    ...fitting.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
    files,
    '',
  ].join('\n');
}
