// Which flags does a program have, and which were given? One table says the name, type, bounds and
// help of each: the operator, the commands of swarmctl, the demo and our scripts are read by it.

import { parseArgs } from 'node:util';
import { errorText } from './api/error-text.ts';
import { oneLine } from './api/one-line.ts';

type FlagType =
  | { readonly type: 'switch' }
  | { readonly type: 'boolean'; readonly fallback: boolean }
  /** `value` is how help names what follows. */
  | { readonly type: 'text'; readonly value: string; readonly fallback?: string }
  /** May be given several times. */
  | { readonly type: 'texts'; readonly value: string }
  /** Separated by commas. */
  | { readonly type: 'list'; readonly value: string }
  /** Separated by commas; left out: all. */
  | {
      readonly type: 'choices';
      readonly value: string;
      readonly among: readonly [string, ...string[]];
    }
  | {
      readonly type: 'number' | 'whole';
      readonly value: string;
      readonly least: number;
      readonly most: number;
      readonly fallback?: number;
    }
  /** Left out: `fallback`, or the first. */
  | {
      readonly type: 'choice';
      readonly among: readonly [string, ...string[]];
      readonly fallback?: string;
    };

export type Flag = FlagType & { readonly help: string; readonly short?: string };

/** By name in camelCase: `untilReady` is the flag `--until-ready`. */
export type Flags = Readonly<Record<string, Flag>>;

type Value<It extends Flag> = It extends { readonly type: 'switch' | 'boolean' }
  ? boolean
  : It extends { readonly type: 'texts' | 'list' }
    ? readonly string[]
    : It extends { readonly among: readonly (infer Choice)[] }
      ? It extends { readonly type: 'choices' }
        ? readonly Choice[]
        : Choice
      :
          | (It extends { readonly type: 'text' } ? string : number)
          | (It extends { readonly fallback: unknown } ? never : undefined);

export type Values<All extends Flags> = { readonly [Name in keyof All]: Value<All[Name]> };

/** What may stand beside flags, as help shows it: `URL|POD`. */
export type Operands = { readonly usage: string; readonly least: number; readonly most: number };

export type Environment = Readonly<Record<string, string | undefined>>;

export type Parsed<All extends Flags> =
  | { readonly wants: 'run'; readonly values: Values<All>; readonly operands: readonly string[] }
  | { readonly wants: 'help' }
  | { readonly wants: 'correction'; readonly problems: readonly string[] };

export const flagName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const variableName = (name: string): string =>
  `SWARM_${flagName(name).toUpperCase().replaceAll('-', '_')}`;

/**
 * With an `environment`, a flag that is left out or empty may stand there as a variable; without
 * one, an empty flag is a mistake.
 */
export function parseFlags<const All extends Flags>(
  flags: All,
  args: readonly string[],
  from: { readonly operands?: Operands; readonly environment?: Environment } = {},
): Parsed<All> {
  const { operands = { usage: '', least: 0, most: 0 }, environment } = from;
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, short }]) => [
      flagName(name),
      {
        type: type === 'switch' ? ('boolean' as const) : ('string' as const),
        multiple: type === 'texts',
        ...(short !== undefined && { short }),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: from.operands !== undefined,
    });
    const given = new Map(Object.entries(values));
    if (given.get('help') === true) return { wants: 'help' };
    const { usage, least, most } = operands;
    if (positionals.length < least) return correct(`${usage} is missing`);
    if (positionals.length > most)
      return correct(
        `${JSON.stringify(positionals[most])} is one too many: ${usage || 'only flags'} is expected`,
      );
    const problems: string[] = [];
    const read = Object.entries(flags).map(([name, flag]) => [
      name,
      readFlag(name, flag, given.get(flagName(name)), environment, problems),
    ]);
    // The one place where names and types of flags become types: what was read for each is what its
    // flag says.
    return problems.length > 0
      ? correct(...problems)
      : { wants: 'run', values: Object.fromEntries(read) as Values<All>, operands: positionals };
  } catch (error) {
    return correct(oneLine(errorText(error)));
  }
}

const correct = (
  ...problems: readonly string[]
): { readonly wants: 'correction'; readonly problems: readonly string[] } => ({
  wants: 'correction',
  problems,
});

/** Characters of a wrong value in a message. */
const LONGEST_SHOWN = 200;

function readFlag(
  name: string,
  flag: Flag,
  given: string | boolean | readonly (string | boolean)[] | undefined,
  environment: Environment | undefined,
  problems: string[],
): unknown {
  if (flag.type === 'switch') return given === true;
  const texts = [given ?? []].flat().map(String);
  if (environment === undefined && texts.includes(''))
    problems.push(`--${flagName(name)}: names nothing; ${placeholderOf(flag)} is expected`);
  if (flag.type === 'texts') return texts;
  const isFlag = given !== undefined;
  const text = (isFlag ? texts[0] : environment?.[variableName(name)]) ?? '';
  if (text === '') return fallbackOf(flag);
  const { value, allowed } = readText(flag, text);
  if (value !== undefined) return value;
  const where = isFlag ? `--${flagName(name)}` : variableName(name);
  problems.push(`${where} is "${oneLine(text, LONGEST_SHOWN)}"; allowed is ${allowed}`);
  return undefined;
}

type SingleFlag = Exclude<Flag, { readonly type: 'switch' | 'texts' }>;

function fallbackOf(flag: SingleFlag): unknown {
  if (flag.type === 'list') return [];
  if (flag.type === 'choices') return flag.among;
  return flag.type === 'choice' ? (flag.fallback ?? flag.among[0]) : flag.fallback;
}

const partsOf = (text: string): readonly string[] =>
  text.split(',').flatMap((part) => part.trim() || []);

/** Without a `value` the text is not allowed. */
function readText(
  flag: SingleFlag,
  text: string,
): { readonly value: unknown; readonly allowed: string } {
  switch (flag.type) {
    case 'text':
      return { value: text, allowed: 'any text' };
    case 'list':
      return { value: partsOf(text), allowed: 'any text' };
    case 'choices': {
      const parts = new Set(partsOf(text));
      const isAllowed = parts.size > 0 && [...parts].every((part) => flag.among.includes(part));
      return {
        value: isAllowed ? [...parts] : undefined,
        allowed: `some of ${flag.among.join(', ')}`,
      };
    }
    case 'boolean':
      return {
        value: text === 'true' || (text === 'false' ? false : undefined),
        allowed: 'true or false',
      };
    case 'choice':
      return {
        value: flag.among.find((choice) => choice === text),
        allowed: `one of ${flag.among.join(', ')}`,
      };
    case 'whole':
    case 'number': {
      const { least, most, type } = flag;
      const pattern = type === 'whole' ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,3})?$/;
      const number = Number(text);
      return {
        value: pattern.test(text) && number >= least && number <= most ? number : undefined,
        allowed: `a ${type === 'whole' ? 'whole ' : ''}number from ${least} to ${most}`,
      };
    }
    default:
      return flag satisfies never;
  }
}

/** What follows the flag, as help shows it. */
export function placeholderOf(flag: Flag): string {
  switch (flag.type) {
    case 'switch':
      return '';
    case 'boolean':
      return 'true|false';
    case 'choice':
      return flag.among.join('|');
    default:
      return flag.value;
  }
}

/** What it means when it is left out, as help shows it; empty where `help` says that. */
export const defaultOf = (flag: Flag): string =>
  flag.type === 'switch' || flag.type === 'texts' || flag.type === 'list'
    ? ''
    : String(fallbackOf(flag) ?? '');

/** The lines of a help text: all flags in a column, what they mean beside it. */
export function flagLines(flags: Flags, width: number): readonly string[] {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? '' : `-${flag.short}, `;
    const initial = defaultOf(flag);
    return helpLine(
      `${short}--${flagName(name)} ${placeholderOf(flag)}`.trimEnd(),
      initial === '' ? flag.help : `${flag.help} [${initial}]`,
      width,
    );
  });
  return [...rows, helpLine('-h, --help', 'this text', width)];
}

export function helpLine(left: string, right: string, width: number): string {
  const indented = right.replaceAll('\n', `\n   ${' '.repeat(width)}`);
  return left.length > width
    ? `  ${left}\n   ${' '.repeat(width)}${indented}`
    : `  ${left.padEnd(width)} ${indented}`;
}
