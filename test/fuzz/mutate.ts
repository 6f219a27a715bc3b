// How is an input mutated? In a few places: characters, words, lines, numbers, or its structure.
import type { Random } from '../sim/random.ts';
import type { Form } from './target.ts';
import { changedTree } from './trees.ts';
import { json, names, numbers, oddities, yaml } from './words.ts';

export type Mutation = {
  readonly form: Form;
  readonly words: readonly string[];
  readonly longest: number;
  readonly isBytes: boolean;
  /** Another input of the corpus. */
  readonly other: () => string;
};

type Change = (input: string, random: Random, mutation: Mutation) => string;

export function mutated(input: string, random: Random, mutation: Mutation): string {
  let changed = input;
  for (let times = 2 ** random.between(0, 3); times > 0; times -= 1)
    changed = random.pick(changes)(changed, random, mutation);
  return changed.slice(0, mutation.longest);
}

/** The input with `text` in place of what stands from `from` to `to`. */
const replaced = (input: string, from: number, to: number, text: string): string =>
  input.slice(0, from) + text + input.slice(to);

function word(random: Random, { words, form, isBytes }: Mutation): string {
  const chosen = random.pick(
    random.pick([
      words,
      words,
      names,
      numbers,
      oddities,
      form === 'json' ? json : yaml,
      form === 'text' ? words : json,
    ]),
  );
  return isBytes ? Buffer.from(chosen, 'utf8').toString('latin1') : chosen;
}

function range(input: string, random: Random, most = 40): readonly [number, number] {
  const from = random.between(0, input.length);
  return [
    from,
    Math.min(input.length, from + random.between(1, random.chance(0.1) ? input.length + 1 : most)),
  ];
}

/** A random match of the pattern. */
function place(input: string, random: Random, what: RegExp): readonly [number, number] | undefined {
  const found = [...input.slice(0, 20_000).matchAll(what)];
  if (found.length === 0) return undefined;
  const { index, 0: text } = random.pick(found);
  return [index, index + text.length];
}

const insertWord: Change = (input, random, mutation) => {
  const at = random.between(0, input.length);
  return replaced(input, at, at, word(random, mutation));
};

const replaceWord: Change = (input, random, mutation) => {
  const found = place(input, random, /[\w.:/-]+/g);
  return found === undefined
    ? insertWord(input, random, mutation)
    : replaced(input, ...found, word(random, mutation));
};

const replaceNumber: Change = (input, random, mutation) => {
  const found = place(input, random, /-?\d+(?:\.\d+)?/g);
  return found === undefined
    ? insertWord(input, random, mutation)
    : replaced(input, ...found, random.pick(numbers));
};

const replaceCharacter: Change = (input, random, { isBytes }) => {
  const at = random.between(0, input.length);
  const code = random.chance(0.3)
    ? random.between(0, isBytes ? 0xff : 0xffff)
    : random.between(0, 0x7f);
  return replaced(input, at, at + random.between(0, 1), String.fromCharCode(code));
};

const remove: Change = (input, random) => replaced(input, ...range(input, random), '');

const repeat: Change = (input, random, { longest }) => {
  const [from, to] = range(input, random);
  const most = Math.max(1, Math.floor((longest - input.length) / Math.max(1, to - from)));
  const times = random.chance(0.002) ? most : Math.min(most, random.pick([1, 1, 2, 3, 16, 120]));
  return replaced(input, to, to, input.slice(from, to).repeat(times));
};

const splice: Change = (input, random, { other }) => {
  const from = other();
  return replaced(input, ...range(input, random), from.slice(...range(from, random, 200)));
};

const onLines: Change = (input, random) => {
  const lines = input.split('\n');
  const at = random.between(0, lines.length - 1);
  const line = lines[at] ?? '';
  const changed = random.pick([
    [],
    [line, line],
    [`  ${line}`],
    [line.replace(/^ {1,2}/, '')],
    [`\t${line}`],
    [`${line} # c`],
    [`- ${line}`],
    [`${line}\r`],
    [random.pick(lines), line],
  ]);
  return [...lines.slice(0, at), ...changed, ...lines.slice(at + 1)].join('\n');
};

const quote: Change = (input, random) => {
  const found = place(input, random, /[\w.:/-]+/g);
  if (found === undefined) return input;
  const text = input.slice(...found);
  return replaced(
    input,
    ...found,
    random.pick([
      `"${text}"`,
      `'${text}'`,
      `[${text}]`,
      `{${text}: ${text}}`,
      `&a ${text}`,
      `!!str ${text}`,
      '*a',
      `|\n    ${text}`,
    ]),
  );
};

const nest: Change = (input, random) => {
  const [from, to] = range(input, random);
  const depth = random.pick([2, 10, 99, 101, 1_000, random.chance(0.05) ? 100_000 : 3]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{a: ', '}'],
    ['- ', ''],
    ['(', ')'],
  ]);
  return replaced(
    input,
    from,
    to,
    (open ?? '').repeat(depth) +
      input.slice(from, to) +
      (close ?? '').repeat(random.chance(0.9) ? depth : 0),
  );
};

const everywhere: Change = (input, random) =>
  random.pick([
    () => input.replaceAll('\n', '\r\n'),
    () => input.replaceAll('\n', '\r'),
    () => `\ufeff${input}`,
    () => input.replaceAll('  ', '\t'),
    () => input.trimEnd(),
    () => `${input}\n`,
    () => input.slice(0, random.between(0, input.length)),
  ])();

const changeTree: Change = (input, random, mutation) =>
  changedTree(input, mutation.form, random, mutation.words) ?? replaceWord(input, random, mutation);

/** The most useful mutations are listed more than once, and so picked more often. */
const changes: readonly Change[] = [
  insertWord,
  insertWord,
  replaceWord,
  replaceWord,
  replaceNumber,
  replaceCharacter,
  remove,
  repeat,
  splice,
  splice,
  onLines,
  onLines,
  quote,
  nest,
  everywhere,
  changeTree,
  changeTree,
  changeTree,
  changeTree,
];
