// How does a command come from its words to its exit code? The same way for all of them.
import type { Line } from '../render.ts';
import type { Screen } from '../views/screen.ts';
import { exitCodes, type Flags, type ParsedCommand, parseCommand, type Shape } from './command.ts';

export type Terminal = {
  readonly out: (text: string) => void;
  /** Painted where there are colours. */
  readonly lines: (lines: readonly Line[]) => void;
  /** In columns; what is not a terminal has no end. */
  readonly width: number;
  /** What is redrawn in place, where that can be done. */
  readonly screen: () => Screen;
  readonly problem: (text: string) => void;
  readonly help: () => void;
};

export type Command = {
  readonly shape: Shape<Flags>;
  readonly main: (args: readonly string[], terminal: Terminal) => Promise<number>;
};

/** Why something cannot be told, in words for whoever asked. */
export class Trouble extends Error {
  override readonly name = 'Trouble';
}

type Run<All extends Flags> = (
  given: Extract<ParsedCommand<All>, { readonly wants: 'run' }>,
  terminal: Terminal,
) => Promise<number>;

export function command<const All extends Flags>(shape: Shape<All>, run: Run<All>): Command {
  return {
    shape,
    main: async (args, terminal) => {
      const parsed = parseCommand(shape, args);
      switch (parsed.wants) {
        case 'help':
          terminal.help();
          return exitCodes.ok;
        case 'correction':
          terminal.problem(`${parsed.problem}\n(--help says what is possible)`);
          return exitCodes.usage;
        case 'run':
          return await untroubled(() => run(parsed, terminal), terminal);
        default:
          return parsed satisfies never;
      }
    },
  };
}

async function untroubled(work: () => Promise<number>, terminal: Terminal): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!isTrouble(error)) throw error;
    terminal.problem(error.message);
    return exitCodes.usage;
  }
}

/** A mistake in the program itself is shown as what it is. */
const isTrouble = (error: unknown): error is Error =>
  error instanceof Error &&
  !(error instanceof TypeError) &&
  !(error instanceof RangeError) &&
  !(error instanceof ReferenceError);
