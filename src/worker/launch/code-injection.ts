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
  const next = words.findIndex((word, place) => place > at && hasStreamText(word));
  if (next < 0) return undefined;
  const name = nameOf(words[at] ?? '');
  const program = programOf(words[at] ?? '');
  switch (program?.is) {
    case undefined:
      return inUnknown(words, at);
    case 'Interpreter':
      return inInterpreter(words, at, program);
    case 'Wrapper':
      if (wrappers === MOST_WRAPPERS)
        return injection(next, `more than ${MOST_WRAPPERS} programs start one another`, program);
      return inWrapper(words, at, program, wrappers + 1);
    case 'Tool': {
      const end = words.indexOf('--', at);
      return end >= 0 && end < next
        ? undefined
        : injection(next, `${name} has options that run programs`, program);
    }
    case 'Opaque':
      return injection(next, `${name} runs what it is given`, program);
    default:
      return program satisfies never;
  }
}

/** An unlisted program treats its arguments as data, but may start one that is an interpreter. */
function inUnknown(words: readonly string[], at: number): Injection | undefined {
  const started = words.findIndex(
    (word, place) => place > at && programOf(word)?.is === 'Interpreter',
  );
  return started < 0 ? undefined : inProgram(words, started);
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
      return injection(at, `${name} takes its options and its program from there`, program);
    if (option === 'Unknown') return nextAfter(words, at, unknown(word, name), program);
    if (option === 'End' || isAssignment) isPastOptions = true;
    else if (option === 'None' && own === 0) return inProgram(words, at, wrappers);
    else if (option === 'None') own -= 1;
    else if (option === 'Valued') at += 1;
    if (hasStreamText(words[at])) return injection(at, `it is an option of ${name}`, program);
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
      return injection(
        at,
        hasCode ? `${name} looks for options there` : `it is before the script of ${name}`,
        program,
      );
    const option = isPastOptions ? 'None' : kindOf(word, program);
    switch (option) {
      case 'Flag':
        hasCode ||= program.gluedCode.test(word);
        break;
      case 'End':
        isPastOptions = true;
        break;
      case 'Code':
      case 'Valued':
        at += 1;
        if (hasStreamText(words[at]))
          return injection(
            at,
            option === 'Code' ? `it is code of ${name}` : `it is an option of ${name}`,
            program,
          );
        hasCode ||= option === 'Code';
        if (option === 'Code' && program.endsWithCode) return undefined;
        break;
      case 'None':
        if (!hasCode && !program.script.test(word))
          return nextAfter(words, at, `${shown(word)} is no file`, program);
        if (program.permutes !== true) return undefined;
        hasCode = true;
        break;
      case 'Unknown':
        return nextAfter(words, at, unknown(word, name), program);
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

/** The next argument with a name or parameter, if there is one. */
function nextAfter(
  words: readonly string[],
  from: number,
  because: string,
  program: Program,
): Injection | undefined {
  const at = words.findIndex((word, place) => place > from && hasStreamText(word));
  return at < 0 ? undefined : injection(at, because, program);
}

const injection = (at: number, because: string, { allowed }: Program): Injection => ({
  at,
  because,
  allowed,
});
