// Where in a command line may a stream's name or parameter stand? Only where the program is known
// to take it as data, or where the user has named the program as one that does.
import { type DataProgram, dataProgramOf, misplacedIn } from './data-programs.ts';
import {
  fileOf,
  type Interpreter,
  nameOf,
  type Program,
  programOf,
  type WrapperProgram,
} from './programs.ts';

/** Names and parameters of streams, which everybody who may edit a pool can write. */
const streamText = /\{(?:stream|param\.[^{}]+)\}/;

export const hasStreamText = (word: string | undefined): boolean =>
  word !== undefined && streamText.test(word);

/** The template's own text before the first such placeholder; undefined: there is none. */
function literalPart(word: string): string | undefined {
  const found = streamText.exec(word);
  return found === null ? undefined : word.slice(0, found.index);
}

/** An argument that is more than data. */
type Injection =
  /** The argument would run as code. `allowed` lists templates to use instead. */
  | {
      readonly is: 'Code' | 'Misplaced';
      readonly at: number;
      readonly because: string;
      readonly allowed: readonly string[];
    }
  /** The program may do anything with the argument. */
  | { readonly is: 'Unknown'; readonly at: number; readonly program: string };

/** The most characters of the words in a message. */
const MOST_SHOWN = 500;

/**
 * Why a template is refused; undefined: names and parameters are only data in it. `literal` are
 * programs that, according to the user, take all arguments as data.
 */
export function refusalOf(
  words: readonly string[],
  literal: readonly string[] = [],
): string | undefined {
  const injection = inProgram({ words, literal }, 0);
  if (injection === undefined) return undefined;
  const word = words[injection.at] ?? '';
  const [placeholder = ''] = streamText.exec(word) ?? [];
  const variable = variableOf(placeholder.slice(1, -1));
  if (injection.is === 'Unknown') {
    const { program } = injection;
    return `passes ${shown(placeholder)} to ${program} (${shown(word)}, argument ${injection.at}), which may treat it as more than data. Let ${program} read ${variable} from its environment; or run a script that does (sh FILE); or, if ${program} takes every argument as data, whatever a stream is called, set --literal-arguments ${program}`;
  }
  const { is, at, because, allowed } = injection;
  const where =
    is === 'Code'
      ? 'puts a name or parameter where the program would run it as code'
      : 'puts a name or parameter where the program treats it as more than data';
  const what = `${shown(word)}, argument ${at} of: ${words.slice(0, MOST_SHOWN).map(shown).join(' ')}`;
  return `${where}: ${what} (${because}); allowed is ${allowed.join(' or ')}, or a script that reads ${variable}`;
}

/** The environment variable with the text of this placeholder. */
export const variableOf = (name: string): string =>
  `SWARM_${name
    .replace(/^param\./, 'PARAM_')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')}`;

/** Why a program cannot be named as one that takes all arguments as data; undefined: it can. */
export const whyNotLiteral = (program: string): string | undefined =>
  ['Interpreter', 'Wrapper', 'Opaque'].includes(programOf(program)?.is ?? '')
    ? `${shown(program)} runs what its arguments say`
    : undefined;

const longest = 60;

function shown(word: string): string {
  const text = word.length > longest ? `${word.slice(0, longest)}…` : word;
  return /^[\w@%+=:,./{}-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Each wrapper is checked with all words after it: very many would exhaust the stack. */
const MOST_WRAPPERS = 20;

type Template = { readonly words: readonly string[]; readonly literal: readonly string[] };

/** The first injection in the arguments of the program at `at`, which `wrappers` others start. */
function inProgram(template: Template, at: number, wrappers = 0): Injection | undefined {
  const { words, literal } = template;
  const next = nextStreamText(words, at);
  if (next < 0) return undefined;
  const word = words[at] ?? '';
  const program = programOf(word);
  const isLiteral = literal.includes(word) || literal.includes(fileOf(word));
  switch (program?.is) {
    case undefined: {
      const known = isLiteral ? undefined : dataProgramOf(fileOf(word));
      if (!isLiteral && known === undefined) return unknownProgram(word, next);
      // The unknown program may still start one that is an interpreter.
      const started = words.findIndex(
        (other, place) => place > at && programOf(other)?.is === 'Interpreter',
      );
      return (
        (known && inDataProgram(words, at, known)) ??
        (started < 0 ? undefined : inProgram(template, started))
      );
    }
    case 'Interpreter':
      return inInterpreter(words, at, program);
    case 'Wrapper':
      return wrappers === MOST_WRAPPERS
        ? refuse(program, next, `more than ${MOST_WRAPPERS} nested programs`)
        : inWrapper(template, at, program, wrappers + 1);
    case 'Tool': {
      if (!isLiteral) return unknownProgram(word, next);
      const end = words.indexOf('--', at);
      return end >= 0 && end < next
        ? undefined
        : refuse(program, next, `${nameOf(word)} has options that run programs`);
    }
    case 'Opaque':
      return refuse(program, next, `${nameOf(word)} runs its arguments`);
    default:
      return program satisfies never;
  }
}

const unknownProgram = (word: string, at: number): Injection => ({
  is: 'Unknown',
  at,
  program: shown(fileOf(word)),
});

function inDataProgram(
  words: readonly string[],
  from: number,
  program: DataProgram,
): Injection | undefined {
  const misplaced = misplacedIn(words, from, program, literalPart);
  return misplaced && { is: 'Misplaced', ...misplaced, allowed: program.allowed };
}

function inWrapper(
  template: Template,
  from: number,
  program: WrapperProgram,
  wrappers: number,
): Injection | undefined {
  const { words } = template;
  const name = nameOf(words[from] ?? '');
  let own = program.arguments;
  let isPastOptions = false;
  for (let at = from + 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const option = isPastOptions ? 'None' : kindOf(word, program);
    const isAssignment = program.assigns === true && /^\w+=/.test(word);
    if (hasStreamText(word))
      return refuse(program, at, `${name} takes its options and its program from there`);
    if (option === 'Unknown') return refuseNext(words, at, program, unknown(word, name));
    if (option === 'End' || isAssignment) isPastOptions = true;
    else if (option === 'None' && own === 0) return inProgram(template, at, wrappers);
    else if (option === 'None') own -= 1;
    else if (option === 'Valued') at += 1;
    if (hasStreamText(words[at])) return refuse(program, at, `it is an option of ${name}`);
  }
  return undefined;
}

function inInterpreter(
  words: readonly string[],
  from: number,
  program: Interpreter,
): Injection | undefined {
  const name = nameOf(words[from] ?? '');
  const first = words[from + 1] === program.subcommand ? from + 2 : from + 1;
  let hasCode = false;
  let isPastOptions = false;
  for (let at = first; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (hasCode && isPastOptions) return undefined;
    if (hasStreamText(word))
      return hasCode
        ? refuse(program, at, `${name} looks for options there`)
        : refuse(program, at, `it is before the script of ${name}`);
    const option = isPastOptions ? 'None' : kindOf(word, program);
    switch (option) {
      case 'Flag':
        hasCode ||= program.gluedCode.test(word);
        break;
      case 'End':
        isPastOptions = true;
        break;
      case 'Code':
        at += 1;
        if (hasStreamText(words[at])) return refuse(program, at, `it is code of ${name}`);
        if (program.endsWithCode) return undefined;
        hasCode = true;
        break;
      case 'Valued':
        at += 1;
        if (hasStreamText(words[at])) return refuse(program, at, `it is an option of ${name}`);
        break;
      case 'None':
        if (!hasCode && !program.script.test(word))
          return refuseNext(words, at, program, `${shown(word)} is not a file`);
        if (program.permutes !== true) return undefined;
        hasCode = true;
        break;
      case 'Unknown':
        return refuseNext(words, at, program, unknown(word, name));
      default:
        option satisfies never;
    }
  }
  return undefined;
}

type Option = 'Flag' | 'Valued' | 'Code' | 'End' | 'None' | 'Unknown';

function kindOf(word: string, program: Interpreter | WrapperProgram): Option {
  if (word === '--') return 'End';
  if (program.is === 'Interpreter' && program.code.test(word)) return 'Code';
  if (program.valued.test(word)) return 'Valued';
  if (program.flags.test(word) || (program.is === 'Interpreter' && program.gluedCode.test(word)))
    return 'Flag';
  // An option of shells may begin with a plus; no name of a program, script or file does.
  return /^[-+]/.test(word) ? 'Unknown' : 'None';
}

const unknown = (word: string, name: string): string =>
  `the option ${shown(word)} of ${name} is not known`;

const nextStreamText = (words: readonly string[], from: number): number =>
  words.findIndex((word, place) => place > from && hasStreamText(word));

const refuse = ({ allowed }: Program, at: number, because: string): Injection => ({
  is: 'Code',
  at,
  because,
  allowed,
});

/** Refuses the next argument that contains a name or parameter, if there is one. */
function refuseNext(
  words: readonly string[],
  from: number,
  program: Program,
  because: string,
): Injection | undefined {
  const at = nextStreamText(words, from);
  return at < 0 ? undefined : refuse(program, at, because);
}
