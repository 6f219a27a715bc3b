// How does a command get from its arguments to its exit code, and which flags and exit codes mean
// the same in all of them?
import { type Flags, type Operands, type Parsed, parseFlags } from '../../flags.ts';
import { readNames } from './object-names.ts';
import type { Terminal } from './terminal.ts';

export type Shape<All extends Flags = Flags> = {
  readonly name: string;
  /** One line, for the list of all commands. */
  readonly summary: string;
  readonly operands: Operands;
  readonly flags: All;
  /** What it does, and what its exit codes mean. */
  readonly about: string;
  readonly examples: readonly (readonly [command: string, does: string])[];
};

export type Command = {
  readonly shape: Shape;
  readonly main: (args: readonly string[], terminal: Terminal) => Promise<number>;
};

/** Scripts can rely on them. no: a problem was found; usage: there is no answer. */
export const exitCodes = { ok: 0, no: 1, usage: 2 } as const;

/** Why a command cannot do what was asked: its message is for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export const parseCommand = <const All extends Flags>(
  { flags, operands }: Shape<All>,
  args: readonly string[],
): Parsed<All> => {
  const parsed = parseFlags(flags, args, { operands });
  if (parsed.wants !== 'run') return parsed;
  const names = readNames(operands.usage, parsed.operands);
  return names.ok
    ? { ...parsed, operands: names.operands }
    : { wants: 'correction', problems: names.problems };
};

export const command = <const All extends Flags>(
  shape: Shape<All>,
  run: (
    given: Extract<Parsed<All>, { readonly wants: 'run' }>,
    terminal: Terminal,
  ) => Promise<number>,
): Command => ({
  shape,
  main: async (args, terminal) => {
    const parsed = parseCommand(shape, args);
    switch (parsed.wants) {
      case 'help':
        terminal.help();
        return exitCodes.ok;
      case 'correction':
        terminal.problem(`${parsed.problems.join('\n')}\n(see --help)`);
        return exitCodes.usage;
      case 'run':
        try {
          return await run(parsed, terminal);
        } catch (error) {
          if (!isForUser(error)) throw error;
          terminal.problem(error.message);
          return exitCodes.usage;
        }
      default:
        return parsed satisfies never;
    }
  },
});

/** A mistake in the program itself is shown with its stack. */
const isForUser = (error: unknown): error is Error =>
  error instanceof Error &&
  !(error instanceof TypeError) &&
  !(error instanceof RangeError) &&
  !(error instanceof ReferenceError);

/** `what` stands in a namespace. */
export const flagsFor = (what: string) =>
  ({
    namespace: {
      type: 'text',
      value: 'NAME',
      short: 'n',
      help: `the ${what}'s namespace; default: the context's namespace, or "default"`,
    },
    context: {
      type: 'text',
      value: 'NAME',
      help: 'the kubeconfig context; default: the current one',
    },
    kubeconfig: {
      type: 'text',
      value: 'FILE',
      help: 'the kubeconfig file; default: KUBECONFIG or ~/.kube/config',
    },
  }) as const;

export const clusterFlags = flagsFor('pool');
export const groupFlags = flagsFor('group');
export const jobFlags = flagsFor('job');
export const queueFlags = flagsFor('queue');

export const allNamespacesFor = (what: string) =>
  ({ type: 'switch', short: 'A', help: `list the ${what}s of all namespaces` }) as const;

export const output = {
  type: 'choice',
  among: ['text', 'wide', 'json', 'yaml'],
  short: 'o',
  help: 'output format; wide shows every row',
} as const;

export const exitCodesFor = (what: string): string =>
  `Exit codes: 0 no problem, 1 a problem was found, 2 no answer (wrong command line, no such ${what}, no connection to the cluster).`;

export const poolExitCodes = exitCodesFor('pool');
export const groupExitCodes = exitCodesFor('group');
export const jobExitCodes = exitCodesFor('job');
export const queueExitCodes = exitCodesFor('queue');
