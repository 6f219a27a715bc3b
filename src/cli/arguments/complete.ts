// Which words may stand at the end of a command line? Told as kubectl wants to hear it: a word a
// line, then what else may follow.
import type { Flag, Flags, Shape } from './command.ts';

type Word = readonly [word: string, meaning: string];

/**
 * Bits that cobra, which kubectl is made with, knows: whether the shell may offer files as well.
 */
const FILES = ':0';
const NO_FILES = ':4';

/**
 * `words`: what is typed after the program's name; the last is the one to be completed, and may be
 * empty.
 */
export function completionsFor(shapes: readonly Shape<Flags>[], words: readonly string[]): string {
  const typed = words.slice(0, -1);
  const start = words.at(-1) ?? '';
  const [name] = typed;
  if (name === undefined) return told(start, namesOf(shapes), NO_FILES);
  const shape = shapes.find((it) => it.name === name);
  if (shape === undefined) return told(start, [], NO_FILES);
  const awaited = awaitedBy(shape, typed.at(-1) ?? '');
  if (awaited !== undefined)
    return told(start, valuesOf(awaited), takesFile(awaited) ? FILES : NO_FILES);
  if (start.startsWith('-')) return told(start, flagsOf(shape), NO_FILES);
  return told(start, [], shape.operands.usage.includes('FILE') ? FILES : NO_FILES);
}

const namesOf = (shapes: readonly Shape<Flags>[]): readonly Word[] =>
  shapes.map(({ name, summary }) => [name, summary]);

function flagsOf({ flags }: Shape<Flags>): readonly Word[] {
  const own = Object.entries(flags).map(([name, { help }]): Word => [`--${name}`, help]);
  return [...own, ['--help', 'what it does, with examples']];
}

/** The flag that this word is, if a value has to follow it. */
function awaitedBy({ flags }: Shape<Flags>, word: string): Flag | undefined {
  const found = Object.entries(flags).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return found === undefined || found[1].type === 'switch' ? undefined : found[1];
}

const valuesOf = (flag: Flag): readonly Word[] =>
  flag.type === 'choice' ? flag.among.map((value): Word => [value, '']) : [];

const takesFile = (flag: Flag): boolean =>
  (flag.type === 'text' || flag.type === 'texts') && flag.value === 'FILE';

function told(start: string, words: readonly Word[], files: string): string {
  const fitting = words.filter(([word]) => word.startsWith(start));
  return [
    ...fitting.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
    files,
    '',
  ].join('\n');
}
