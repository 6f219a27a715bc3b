// Which words may stand at the end of a command line?
import { type Flag, flagName, tokensOf } from '../../flags.ts';
import type { Shape } from './command.ts';
import { nameWords, splitName, topicsOf } from './names.ts';
import { operandAt, readNames } from './object-names.ts';

/** The flags that name something in the cluster. */
const NAMED_BY_FLAG = { namespace: 'namespace', remove: 'stream', queue: 'queue' } as const;
/** So do operands. */
const NAMED_BY_OPERAND = {
  POOL: 'pool',
  STREAM: 'stream',
  GROUP: 'group',
  QUEUE: 'queue',
  JOB: 'job',
  'JOB|batch/JOB': 'job or batch job',
} as const;

const takesName = (flag: string): flag is keyof typeof NAMED_BY_FLAG =>
  Object.hasOwn(NAMED_BY_FLAG, flag);

const isNamed = (operand: string): operand is keyof typeof NAMED_BY_OPERAND =>
  Object.hasOwn(NAMED_BY_OPERAND, operand);

/** Names in the cluster; the rest is what is typed before. */
export type WantedNames = {
  readonly what: 'pool' | 'stream' | 'group' | 'queue' | 'job' | 'job or batch job' | 'namespace';
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
  const [, joined, value] = /^(--[^=]+)=(.*)$/s.exec(start) ?? [];
  if (joined !== undefined) {
    const { words: values, files } = await offerFor(
      shapes,
      [...typed, joined, value ?? ''],
      findNames,
    );
    return { words: values.map(([word, meaning]) => [`${joined}=${word}`, meaning]), files };
  }
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
  const help = { type: 'switch', help: 'show what it does, with examples' } as const;
  const flags = new Map(
    Object.entries<Flag>({ ...shape.flags, help }).map(([key, flag]) => [flagName(key), flag]),
  );
  const tokens = tokensOf(shape.flags, rest);
  const given = tokens.filter((token) => token.kind === 'option');
  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? token.value : []));
  const named = async (what: WantedNames['what']): Promise<Offer> => {
    const [namespace, context, kubeconfig] = ['namespace', 'context', 'kubeconfig'].map(
      (its) => given.findLast((token) => token.name === its)?.value,
    );
    const read = readNames(shape.operands.usage, operands);
    const [pool] = read.ok ? read.operands : operands;
    const names = await findNames({ what, pool, namespace, context, kubeconfig });
    return { words: names.map((word) => [word, '']) };
  };
  const last = tokens.at(-1);
  const awaiting = last?.kind === 'option' && last.value === undefined ? last.name : '';
  const flag = flags.get(awaiting);
  if (flag !== undefined && flag.type !== 'switch') {
    const among = flag.type === 'choice' || flag.type === 'texts' ? flag.among : undefined;
    if (among !== undefined) return { words: among.map((value) => [value, '']) };
    if (takesName(awaiting)) return named(NAMED_BY_FLAG[awaiting]);
    return { files: 'value' in flag && flag.value === 'FILE' };
  }
  if (start.startsWith('-')) {
    const isTaken = (its: string): boolean => given.some((token) => token.name === its);
    const free = [...flags].filter(([its, { type }]) => type === 'texts' || !isTaken(its));
    return { words: free.map(([its, { help: meaning }]) => [`--${its}`, meaning]) };
  }
  const { usage } = shape.operands;
  const operand = operandAt(usage, operands.length);
  if (isNamed(operand)) return named(NAMED_BY_OPERAND[operand]);
  if (/^[a-z]+(\|[a-z]+)+$/.test(operand))
    return { words: operand.split('|').map((word) => [word, '']) };
  return { files: usage.includes('FILE') };
}

/** Directives of cobra, which kubectl is made with: may the shell offer files as well? */
const FILES = ':0';
const NO_FILES = ':4';

/** In the form that kubectl and our scripts read: a word a line, then whether files may follow. */
export const offerText = ({ words, files }: Required<Offer>): string =>
  [
    ...words.map(([word, meaning]) => (meaning === '' ? word : `${word}\t${meaning}`)),
    files ? FILES : NO_FILES,
    '',
  ].join('\n');
