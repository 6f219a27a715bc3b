// Which words may stand at the end of a command line?
import { type Flag, flagName } from '../../flags.ts';
import type { Shape } from './command.ts';
import { nameWords, splitName, topicsOf } from './names.ts';
import { operandAt, readNames } from './object-names.ts';

export type SpelledFlag = {
  readonly name: string;
  readonly flag: Flag;
  readonly spellings: readonly string[];
};

export function flagsOf({ flags }: Shape): readonly SpelledFlag[] {
  const help = { type: 'switch', short: 'h', help: 'what it does, with examples' } as const;
  return Object.entries<Flag>({ ...flags, help }).map(([key, flag]) => {
    const name = flagName(key);
    const short = flag.short === undefined ? [] : [`-${flag.short}`];
    return { name, flag, spellings: [`--${name}`, ...short] };
  });
}

export const takesFile = (flag: Flag): boolean =>
  (flag.type === 'text' || flag.type === 'texts') && flag.value === 'FILE';

/** The flags that name something in the cluster. */
const NAMED_BY_FLAG = { namespace: 'namespace', remove: 'stream' } as const;
/** So do operands. */
const NAMED_BY_OPERAND = { POOL: 'pool', STREAM: 'stream', GROUP: 'group' } as const;

export const takesName = (flag: string): flag is keyof typeof NAMED_BY_FLAG =>
  Object.hasOwn(NAMED_BY_FLAG, flag);

const isNamed = (operand: string): operand is keyof typeof NAMED_BY_OPERAND =>
  Object.hasOwn(NAMED_BY_OPERAND, operand);

/** Names in the cluster; the rest is what is typed before. */
export type WantedNames = {
  readonly what: 'pool' | 'stream' | 'group' | 'namespace';
  readonly pool: string | undefined;
  readonly namespace: string | undefined;
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
};

/** Of none where they cannot be found out. */
export type FindNames = (wanted: WantedNames) => Promise<readonly string[]>;

/** What may follow: words with their meaning, and files. */
type Offer = {
  readonly words?: readonly (readonly [word: string, meaning: string])[];
  readonly files?: boolean;
};

/** A shell is not made to show more. */
const MOST_WORDS = 1_000;

/**
 * `words`: what is typed after the program's name; the last is the one to be completed, and may be
 * empty.
 */
export async function offerFor(
  shapes: readonly Shape[],
  words: readonly string[],
  findNames: FindNames,
): Promise<Required<Offer>> {
  const start = words.at(-1) ?? '';
  const typed = words.slice(0, -1);
  const { words: offered = [], files = false } = await offerAfter(shapes, typed, start, findNames);
  const fitting = offered.filter(([word]) => word.startsWith(start));
  return { words: fitting.slice(0, MOST_WORDS), files };
}

async function offerAfter(
  shapes: readonly Shape[],
  typed: readonly string[],
  start: string,
  findNames: FindNames,
): Promise<Offer> {
  const { name, rest } = splitName(shapes, typed);
  if (typed.length === 0) return { words: nameWords(shapes) };
  if (topicsOf(shapes).includes(name)) return { words: nameWords(shapes, name) };
  const shape = shapes.find((it) => it.name === name);
  if (shape === undefined) return {};
  const flags = flagsOf(shape);
  const { operands, values, open } = readTyped(flags, rest);
  const named = async (what: WantedNames['what']): Promise<Offer> => {
    const { namespace, context, kubeconfig } = values;
    const read = readNames(shape.operands.usage, operands);
    const [pool] = read.ok ? read.operands : operands;
    const names = await findNames({ what, pool, namespace, context, kubeconfig });
    return { words: names.map((word) => [word, '']) };
  };
  if (open !== undefined) {
    if (open.flag.type === 'choice') return { words: open.flag.among.map((value) => [value, '']) };
    return takesName(open.name) ? named(NAMED_BY_FLAG[open.name]) : { files: takesFile(open.flag) };
  }
  if (start.startsWith('-'))
    return { words: flags.map(({ name: flag, flag: { help } }) => [`--${flag}`, help]) };
  const { usage } = shape.operands;
  const operand = operandAt(usage, operands.length);
  if (isNamed(operand)) return named(NAMED_BY_OPERAND[operand]);
  if (/^[a-z]+(\|[a-z]+)+$/.test(operand))
    return { words: operand.split('|').map((word) => [word, '']) };
  return { files: usage.includes('FILE') };
}

type Typed = {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The flag whose value comes next. */
  readonly open: SpelledFlag | undefined;
};

function readTyped(flags: readonly SpelledFlag[], typed: readonly string[]): Typed {
  const operands: string[] = [];
  const values: Record<string, string> = {};
  let open: SpelledFlag | undefined;
  for (const word of typed) {
    if (open !== undefined) {
      values[open.name] = word;
      open = undefined;
      continue;
    }
    const [spelling = '', ...value] = word.split('=');
    const flag = flags.find(({ spellings }) => spellings.includes(spelling));
    if (flag === undefined && !word.startsWith('-')) operands.push(word);
    if (flag === undefined || flag.flag.type === 'switch') continue;
    if (value.length > 0) values[flag.name] = value.join('=');
    else open = flag;
  }
  return { operands, values, open };
}

/** Directives of cobra, which kubectl is made with: may the shell offer files as well? */
const FILES = ':0';
const NO_FILES = ':4';

/** In the form that kubectl reads: one word a line, then whether files may follow. */
export const forKubectl = ({ words, files }: Required<Offer>): string =>
  [
    ...words.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
    files ? FILES : NO_FILES,
    '',
  ].join('\n');

/** For the scripts of `swarmctl completion`, which know the meanings. */
export const forScripts = ({ words }: Required<Offer>): string =>
  words.map(([word]) => `${word}\n`).join('');
