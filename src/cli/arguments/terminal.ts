// How does a command write to the user, and print its result for people or for programs?
import { dump } from 'js-yaml';
import { type Cell, type Line, paint, tableLines } from '../render.ts';
import { isColoured, makeScreen, type Screen } from '../views/screen.ts';

export type Terminal = {
  readonly out: (text: string) => void;
  readonly lines: (lines: readonly Line[]) => void;
  /** In columns; without bound where the output is no terminal. */
  readonly width: number;
  readonly screen: () => Screen;
  /** Beside the result, on standard error. */
  readonly note: (line: Line) => void;
  readonly problem: (text: string) => void;
  readonly help: () => void;
  /** Undefined: it is no terminal, or the user gave no answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
};

/** Problems begin with the name of the `program`. */
export function terminalOf(
  program: string,
  help: () => string,
  { stdin, stdout, stderr, env } = process,
): Terminal {
  const hasColours = isColoured(stdout, env);
  return {
    out: (text) => void stdout.write(`${text}\n`),
    lines: (lines) =>
      void stdout.write(lines.map((line) => `${paint(line, hasColours).trimEnd()}\n`).join('')),
    width: stdout.isTTY ? stdout.columns : Number.MAX_SAFE_INTEGER,
    screen: () => makeScreen(stdout, env),
    note: (line) => void stderr.write(`${paint(line, isColoured(stderr, env)).trimEnd()}\n`),
    problem: (text) => void stderr.write(`${program}: ${text}\n`),
    help: () => void stdout.write(help()),
    ask: async (question) =>
      stdin.isTTY && stderr.isTTY ? askOn(stdin, stderr, question) : undefined,
  };
}

/** Ctrl-C and Ctrl-D are no answer. */
async function askOn(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  question: string,
): Promise<string | undefined> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input, output });
  const answer = Promise.withResolvers<string | undefined>();
  lines.once('close', () => answer.resolve(undefined));
  lines.once('SIGINT', () => lines.close());
  lines.question(question, answer.resolve);
  try {
    return await answer.promise;
  } finally {
    lines.close();
  }
}

type OutputFormat = 'text' | 'wide' | 'json' | 'yaml';

export function print(
  terminal: Terminal,
  output: OutputFormat,
  value: unknown,
  lines: (isWide: boolean) => readonly Line[],
): void {
  if (output === 'json') terminal.out(JSON.stringify(value, undefined, 2));
  // By way of JSON, which drops fields that are undefined.
  else if (output === 'yaml')
    terminal.out(
      dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true }).trimEnd(),
    );
  else terminal.lines(lines(output === 'wide'));
}

type Refusal = { readonly reason: string; readonly message?: string };

export const blockedText = ({ reason, message = '' }: Refusal): string => `${reason}: ${message}`;

/** Below another table. */
export function unassignedLines(
  streams: readonly (Refusal & { readonly name: string })[],
  width: number,
): readonly Line[] {
  const columns = ['WITHOUT A WORKER', 'REASON', ''];
  const rows = streams.map(({ name, reason, message = '' }): Cell[] => [
    { text: name, style: 'bad' },
    reason,
    message,
  ]);
  return ['', ...tableLines({ columns, rows }, width)];
}

export const moreLines = (count: number, what: string): readonly Line[] =>
  count > 0 ? [[{ text: `and ${what}`, style: 'faint' }]] : [];
