// Which flags does a program have, and which were given? One table says the name, type, bounds and
// help of each, for the operator, the worker, swarmctl, the demo and our scripts.
import { parseArgs } from 'node:util';
import { nearest } from './api/nearest.ts';
import { oneLine } from './api/text.ts';

type FlagType =
  | { readonly type: 'switch' }
  | { readonly type: 'boolean'; readonly fallback: boolean }
  /** `value` is how help names what follows. */
  | { readonly type: 'text'; readonly value: string; readonly fallback?: string }
  /** May be given several times; with `among`, these words only. */
  | {
      readonly type: 'texts';
      readonly value: string;
      readonly among?: readonly [string, ...string[]];
    }
  /** Separated by commas. */
  | { readonly type: 'list'; readonly value: string }
  /** Separated by commas; left out: `fallback`, or all. */
  | {
      readonly type: 'choices';
      readonly value: string;
      readonly among: readonly [string, ...string[]];
      readonly fallback?: readonly string[];
    }
  | {
      readonly type: 'number' | 'whole';
      readonly value: string;
      readonly least: number;
      readonly most: number;
      readonly fallback?: number;
    }
  /** A duration such as 1.5s; its value is in milliseconds. `most` left out: an hour. */
  | {
      readonly type: 'time';
      readonly leastMs: number;
      readonly most?: string;
      readonly fallback?: string;
    }
  /** Left out: `fallback`, or the first. */
  | {
      readonly type: 'choice';
      readonly among: readonly [string, ...string[]];
      readonly fallback?: string;
    };

export type Flag = FlagType & {
  readonly help: string;
  readonly short?: string;
  /** Further environment variables, read when the flag's own variable is not set. */
  readonly also?: readonly string[];
  /** The message when it is left out. */
  readonly required?: string;
  /** The flag without which this one would do nothing. */
  readonly needs?: string;
};

/** By name in camelCase: `untilReady` is the flag `--until-ready`. */
export type Flags = Readonly<Record<string, Flag>>;

type AnyTexts = { readonly type: 'texts'; readonly among?: undefined };

type Value<It extends Flag> = It extends { readonly type: 'switch' | 'boolean' }
  ? boolean
  : It extends { readonly type: 'list' } | AnyTexts
    ? readonly string[]
    : It extends { readonly among: readonly (infer Choice)[] }
      ? It extends { readonly type: 'choices' | 'texts' }
        ? readonly Choice[]
        : Choice
      :
          | (It extends { readonly type: 'text' } ? string : number)
          | (It extends { readonly fallback: unknown } | { readonly required: string }
              ? never
              : undefined);

export type Values<All extends Flags> = { readonly [Name in keyof All]: Value<All[Name]> };

/** The arguments that are not flags; `usage` is how help shows them: `URL|POD`. */
export type Operands = { readonly usage: string; readonly least: number; readonly most: number };

export type Environment = Readonly<Record<string, string | undefined>>;

export type Parsed<All extends Flags> =
  | { readonly wants: 'run'; readonly values: Values<All>; readonly operands: readonly string[] }
  | { readonly wants: 'help' }
  | Correction;

type Correction = { readonly wants: 'correction'; readonly problems: readonly string[] };

export const flagName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const variableName = (name: string): string =>
  `SWARM_${flagName(name).toUpperCase().replaceAll('-', '_')}`;

/** In the order in which they are looked at. */
const variablesOf = (name: string, { also = [] }: Flag): readonly string[] => [
  variableName(name),
  ...also,
];

/** What was typed, in its order. A flag that needs a value and has none is the last one typed. */
export const tokensOf = (flags: Flags, args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries<Flag>({ ...flags, help }).map(([name, { type, short }]) => [
        flagName(name),
        {
          type: type === 'switch' ? ('boolean' as const) : ('string' as const),
          ...(short !== undefined && { short }),
        },
      ]),
    ),
    strict: false,
    tokens: true,
  }).tokens;

const help = { type: 'switch', short: 'h', help: 'show this help' } as const;

type Token = ReturnType<typeof tokensOf>[number];
type FlagToken = Extract<Token, { readonly kind: 'option' }>;

/**
 * With an `environment`, a flag that is left out may be given by a variable, and an empty flag asks
 * for its default; without one, an empty flag is a mistake.
 */
export function parseFlags<const All extends Flags>(
  flags: All,
  args: readonly string[],
  from: { readonly operands?: Operands; readonly environment?: Environment } = {},
): Parsed<All> {
  const { operands: { usage, least, most } = noOperands, environment } = from;
  const tokens = tokensOf(flags, args);
  const given = tokens.filter((token) => token.kind === 'option');
  if (given.some(({ name }) => name === 'help')) return { wants: 'help' };
  const operands = tokens.flatMap((token) => (token.kind === 'positional' ? token.value : []));
  const problems = given.flatMap((token) => tokenProblem(token, flags) ?? []).slice(0, 1);
  if (problems.length > 0) return correct(problems);
  if (operands.length < least) return correct([`${usage} is missing`]);
  if (operands.length > most)
    return correct([
      `unexpected argument ${JSON.stringify(operands[most])}; expected ${usage === '' ? 'only flags' : usage}`,
    ]);
  const values = Object.entries(flags).map(([key, flag]) => {
    const its = given.filter(({ name }) => name === flagName(key));
    const texts = its.map(({ value = '' }) => value);
    return [key, readFlag(key, flag, texts, environment, problems)];
  });
  if (problems.length === 0)
    problems.push(...withoutEffect(flags, given, Object.fromEntries(values)));
  if (problems.length > 0) return correct(problems);
  // The compiler cannot follow from here: readFlag returned for each flag what `Value` says.
  return { wants: 'run', values: Object.fromEntries(values) as Values<All>, operands };
}

const noOperands: Operands = { usage: '', least: 0, most: 0 };

const correct = (problems: readonly string[]): Correction => ({
  wants: 'correction',
  problems: problems.map((problem) => oneLine(problem)),
});

/** A flag that would do nothing is refused: its user expects something of it. */
const withoutEffect = (
  flags: Flags,
  given: readonly FlagToken[],
  values: Readonly<Record<string, unknown>>,
): readonly string[] =>
  Object.entries(flags).flatMap(([key, { needs }]) => {
    if (needs === undefined || !given.some(({ name }) => name === flagName(key))) return [];
    const value = values[needs];
    const isThere = Array.isArray(value)
      ? value.length > 0
      : value !== undefined && value !== false;
    return isThere ? [] : [`--${flagName(key)} needs --${flagName(needs)}`];
  });

/** Undefined: there is such a flag, and it has a value where it needs one. */
function tokenProblem({ name, rawName, value, inlineValue }: FlagToken, flags: Flags) {
  const names = Object.keys(flags);
  const flag = flags[names.find((key) => flagName(key) === name) ?? ''];
  if (flag === undefined) {
    const meant = nearest(name, [...names, 'help'].map(flagName));
    return `unknown flag ${rawName}${meant === undefined ? '' : `; did you mean --${meant}?`}`;
  }
  if (flag.type === 'switch') return value === undefined ? undefined : `${rawName} takes no value`;
  const isDashed = inlineValue === false && /^-./.test(value ?? '');
  if (value !== undefined && !isDashed) return undefined;
  const how = isDashed ? `; write a value that begins with a dash as ${rawName}=-…` : '';
  return `${rawName}: ${placeholderOf(flag)} is missing${how}`;
}

/** Characters of a wrong value in a message. */
const LONGEST_SHOWN = 200;

function readFlag(
  name: string,
  flag: Flag,
  texts: readonly string[],
  environment: Environment | undefined,
  problems: string[],
): unknown {
  if (flag.type === 'switch') return texts.length > 0;
  if (environment === undefined && texts.includes(''))
    problems.push(`--${flagName(name)} is empty; expected ${placeholderOf(flag)}`);
  if (flag.type === 'texts') {
    const { among } = flag;
    const wrong = texts.find((text) => text !== '' && among?.includes(text) === false);
    if (among !== undefined && wrong !== undefined)
      problems.push(refusalOf(`--${flagName(name)}`, wrong, `one of ${among.join(', ')}`));
    return texts;
  }
  const variables = texts.length === 0 ? variablesOf(name, flag) : [];
  const variable = variables.find((each) => (environment?.[each] ?? '') !== '');
  const text = (variable === undefined ? texts.at(-1) : environment?.[variable]) ?? '';
  if (text === '') {
    if (flag.required !== undefined) problems.push(`--${flagName(name)}: ${flag.required}`);
    return fallbackOf(flag);
  }
  const [value, allowed] = readText(flag, text);
  const where = variable ?? `--${flagName(name)}`;
  if (value === undefined) problems.push(refusalOf(where, text, allowed));
  return value;
}

const refusalOf = (where: string, text: string, allowed: string): string =>
  `${where} is "${oneLine(text, LONGEST_SHOWN)}"; allowed is ${allowed}`;

type SingleFlag = Exclude<Flag, { readonly type: 'switch' | 'texts' }>;

function fallbackOf(flag: SingleFlag): unknown {
  if (flag.type === 'list') return [];
  if (flag.type === 'choices') return flag.fallback ?? flag.among;
  if (flag.type === 'time') return flag.fallback && millisecondsIn(flag.fallback);
  return flag.type === 'choice' ? (flag.fallback ?? flag.among[0]) : flag.fallback;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const LONGEST_TIME = '60m';

/** Of a duration as kubectl takes it, such as 1h30m; not a number where the text is none. */
export function millisecondsIn(text: string): number {
  if (!/^(?:\d{1,7}(?:\.\d{1,3})?(?:ms|s|m|h)){1,4}$/.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)];
  const ms = parts.map(([, amount, unit = '']) => Number(amount) * (UNITS[unit] ?? 0));
  return Math.round(ms.reduce((sum, part) => sum + part, 0));
}

const partsOf = (text: string): readonly string[] =>
  text.split(',').flatMap((part) => part.trim() || []);

/** The value, undefined where the text is not allowed, and what is. */
function readText(flag: SingleFlag, text: string): readonly [value: unknown, allowed: string] {
  switch (flag.type) {
    case 'text':
      return [text, 'any text'];
    case 'list':
      return [partsOf(text), 'any text'];
    case 'choices': {
      const parts = [...new Set(partsOf(text))];
      const isAllowed = parts.length > 0 && parts.every((part) => flag.among.includes(part));
      return [isAllowed ? parts : undefined, `some of ${flag.among.join(', ')}`];
    }
    case 'boolean':
      return [text === 'true' || (text === 'false' ? false : undefined), 'true or false'];
    case 'choice':
      return [flag.among.find((choice) => choice === text), `one of ${flag.among.join(', ')}`];
    case 'time': {
      const { leastMs, most = LONGEST_TIME } = flag;
      const ms = millisecondsIn(text);
      const examples = leastMs > 500 ? '10s or 1.5m' : '500ms, 10s or 1.5m';
      const allowed = `a time from ${leastMs}ms to ${most}, such as ${examples}`;
      return [ms >= leastMs && ms <= millisecondsIn(most) ? ms : undefined, allowed];
    }
    case 'whole':
    case 'number': {
      const { least, most, type } = flag;
      const pattern = type === 'whole' ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,3})?$/;
      const number = Number(text);
      const isAllowed = pattern.test(text) && number >= least && number <= most;
      const allowed = `a ${type === 'whole' ? 'whole ' : ''}number from ${least} to ${most}`;
      return [isAllowed ? number : undefined, allowed];
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
    case 'time':
      return 'TIME';
    default:
      return flag.value;
  }
}

/** The value of a flag that is left out, as help shows it; empty where `help` says that. */
export function defaultOf(flag: Flag): string {
  if (flag.type === 'switch' || flag.type === 'texts' || flag.type === 'list') return '';
  return flag.type === 'time' ? (flag.fallback ?? '') : String(fallbackOf(flag) ?? '');
}

/** The lines of a help text: all flags in a column, beside it their meaning and variables. */
export function flagLines(flags: Flags, width: number, hasVariables = false): readonly string[] {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? '' : `-${flag.short}, `;
    const initial = defaultOf(flag);
    const usage = `${short}--${flagName(name)} ${placeholderOf(flag)}`.trimEnd();
    const condition = flag.needs === undefined ? '' : `with --${flagName(flag.needs)}: `;
    const meaning = `${condition}${flag.help}${initial === '' ? '' : ` [${initial}]`}`;
    const variables = hasVariables ? `\n${variablesOf(name, flag).join(', ')}` : '';
    return helpLine(usage, meaning + variables, width);
  });
  return [...rows, helpLine('-h, --help', help.help, width)];
}

export function helpLine(left: string, right: string, width: number): string {
  const indented = right.replaceAll('\n', `\n   ${' '.repeat(width)}`);
  return left.length > width
    ? `  ${left}\n   ${' '.repeat(width)}${indented}`
    : `  ${left.padEnd(width)} ${indented}`;
}
