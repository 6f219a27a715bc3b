// Where in a command line may a stream's name or parameter stand? Only where no program runs it as
// code.
import {
  type Interpreter,
  nameOf,
  type Program,
  programOf,
  type WrapperProgram,
} from './programs.ts';

/** Names and parameters of streams: everybody who may edit a pool writes them. */
const streamText = /\{(?:stream|param\.[^{}]+)\}/;

export const hasStreamText = (word: string | undefined): boolean =>
  word !== undefined && streamText.test(word);

/** The argument that would run as code, and templates that are allowed instead. */
type Injection = {
  readonly at: number;
  readonly because: string;
  readonly allowed: readonly string[];
};

/** Of the words in a message. */
const MOST_SHOWN = 500;

/** Why a template is refused; undefined: names and parameters are only data in it. */
export function refusalOf(words: readonly string[]): string | undefined {
  const injection = inProgram(words, 0);
  if (injection === undefined) return undefined;
  const { at, because, allowed } = injection;
  const what = `${shown(words[at] ?? '')}, argument ${at} of: ${words.slice(0, MOST_SHOWN).map(shown).join(' ')}`;
  return `puts a name or parameter where it would run as code: ${what} (${because}); allowed is ${allowed.join(' or ')}, or a script that reads SWARM_STREAM`;
}

const longest = 60;

function shown(word: string): string {
  const text = word.length > longest ? `${word.slice(0, longest)}…` : word;
  return /^[\w@%+=:,./{}-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Each wrapper is checked with all words after it: very many would exhaust the stack. */
const MOST_WRAPPERS = 20;

/** The first injection in the arguments of the program at `at`, which `wrappers` others start. */
function inProgram(words: readonly string[], at: number, wrappers = 0): Injection | undefined {
  const next = nextStreamText(words, at);
  if (next < 0) return undefined;
  const word = words[at] ?? '';
  const program = programOf(word);
  switch (program?.is) {
    case undefined: {
      // An unlisted program treats its arguments as data, but may start one that is an interpreter.
      const started = words.findIndex(
        (other, place) => place > at && programOf(other)?.is === 'Interpreter',
      );
      return started < 0 ? undefined : inProgram(words, started);
    }
    case 'Interpreter':
      return inInterpreter(words, at, program);
    case 'Wrapper':
      return wrappers === MOST_WRAPPERS
        ? refuse(program, next, `more than ${MOST_WRAPPERS} programs start one another`)
        : inWrapper(words, at, program, wrappers + 1);
    case 'Tool': {
      const end = words.indexOf('--', at);
      return end >= 0 && end < next
        ? undefined
        : refuse(program, next, `${nameOf(word)} has options that run programs`);
    }
    case 'Opaque':
      return refuse(program, next, `${nameOf(word)} runs what it is given`);
    default:
      return program satisfies never;
  }
}

function inWrapper(
  words: readonly string[],
  from: number,
  program: WrapperProgram,
  wrappers: number,
): Injection | undefined {
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
    else if (option === 'None' && own === 0) return inProgram(words, at, wrappers);
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
          return refuseNext(words, at, program, `${shown(word)} is no file`);
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
  // A plus begins an option of shells; no program, script or file has a name like that.
  return /^[-+]/.test(word) ? 'Unknown' : 'None';
}

const unknown = (word: string, name: string): string =>
  `what follows the option ${shown(word)} of ${name} is not known here`;

const nextStreamText = (words: readonly string[], from: number): number =>
  words.findIndex((word, place) => place > from && hasStreamText(word));

const refuse = ({ allowed }: Program, at: number, because: string): Injection => ({
  at,
  because,
  allowed,
});

/** Refuses the next argument with a name or parameter, if there is one. */
function refuseNext(
  words: readonly string[],
  from: number,
  program: Program,
  because: string,
): Injection | undefined {
  const at = nextStreamText(words, from);
  return at < 0 ? undefined : refuse(program, at, because);
}
