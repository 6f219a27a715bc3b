// What does swarmctl say of itself?
import type { Flag, Flags, Shape } from './command.ts';

const swarmctl = 'swarmctl';
const widest = 28;

/** `program`: whose command it is. */
export function helpOf(shape: Shape<Flags>, program = swarmctl): string {
  const flags = Object.entries(shape.flags).map(
    ([name, flag]): Row => [
      `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${followedBy(flag)}`,
      meaningOf(flag),
    ],
  );
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
    ...[...flags, ['-h, --help', 'this text'] as const].map(row),
    '',
  ].join('\n');
}

export function overviewOf(shapes: readonly Shape<Flags>[]): string {
  return [
    `Usage: ${swarmctl} COMMAND [flags]`,
    '',
    'Commands:',
    ...shapes.map(({ name, summary }) => row([name, summary])),
    '',
    `${swarmctl} COMMAND --help says more, with examples.`,
    'Exit codes: 0 all is well, 1 it is not, 2 it cannot be told: the command line is wrong, or what it names cannot be reached.',
    '',
  ].join('\n');
}

type Row = readonly [left: string, right: string];

const row = ([left, right]: Row): string =>
  left.length > widest
    ? `  ${left}\n  ${' '.repeat(widest)} ${right}`
    : `  ${left.padEnd(widest)} ${right}`;

function followedBy(flag: Flag): string {
  if (flag.type === 'switch') return '';
  return ` ${flag.type === 'choice' ? flag.among.join('|') : flag.value}`;
}

function meaningOf(flag: Flag): string {
  if (flag.type === 'number') return `${flag.help} [${flag.fallback}]`;
  return flag.type === 'choice' ? `${flag.help} [${flag.among[0]}]` : flag.help;
}
