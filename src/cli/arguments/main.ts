// How does a command come from its words to its exit code? The same way for all of them.
import { exitCodes, type Flags, type Parsed, parseCommand, type Shape } from './command.ts';

export type Terminal = {
  readonly out: (text: string) => void;
  readonly problem: (text: string) => void;
  readonly help: () => void;
};

export type Command = {
  readonly shape: Shape<Flags>;
  readonly main: (args: readonly string[], terminal: Terminal) => Promise<number>;
};

type Run<All extends Flags> = (given: Extract<Parsed<All>, { readonly wants: 'run' }>, terminal: Terminal) => Promise<number>;

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
          terminal.problem(parsed.problem);
          return exitCodes.usage;
        case 'run':
          return run(parsed, terminal);
        default:
          return parsed satisfies never;
      }
    },
  };
}
