// What do swarmctl and each of its commands say to --help?
import { flagLines, helpLine } from '../../flags.ts';
import type { Shape } from './command.ts';

const WIDTH = 28;

/** `program`: that the command belongs to. */
export function helpOf(shape: Shape, program = 'swarmctl'): string {
  return [
    `${program} ${shape.name}: ${shape.summary}`,
    '',
    `Usage: ${[program, shape.name, shape.operands.usage, '[flags]'].filter(Boolean).join(' ')}`,
    '',
    shape.about,
    '',
    'Examples:',
    ...shape.examples.flatMap(([command, does]) => [`  # ${does}`, `  ${command}`]),
    '',
    'Flags:',
    ...flagLines(shape.flags, WIDTH),
    '',
  ].join('\n');
}

/** `usage`: what follows the program's name. */
export const overviewOf = (shapes: readonly Shape[], usage = 'COMMAND'): string =>
  [
    `Usage: swarmctl ${usage} [flags]`,
    '',
    'Commands:',
    ...shapes.map(({ name, summary }) => helpLine(name, summary, WIDTH)),
    '',
    'swarmctl help COMMAND shows details and examples; swarmctl --version shows the version.',
    "POOL, GROUP, QUEUE and JOB are names, such as tv; kubectl's form swarmpool/tv works too.",
    'Exit codes: 0 no problem, 1 a problem was found, 2 no answer: wrong command line, no such object, no connection to the cluster.',
    '',
  ].join('\n');
