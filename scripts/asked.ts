// What was a script of the project asked for? Read, refused and explained as a command of swarmctl
// is.
import {
  exitCodes,
  type Flags,
  type ParsedCommand,
  parseCommand,
  type Shape,
} from '../src/cli/arguments/command.ts';
import { helpOf } from '../src/cli/arguments/help.ts';

/** Ends this process when there is nothing to run: with its help, or with what is wrong. */
export function asked<const All extends Flags>(
  shape: Shape<All>,
): Extract<ParsedCommand<All>, { readonly wants: 'run' }> {
  const parsed = parseCommand(shape, process.argv.slice(2));
  if (parsed.wants === 'run') return parsed;
  if (parsed.wants === 'help') {
    console.log(helpOf(shape, 'npm run'));
    process.exit(exitCodes.ok);
  }
  console.error(`${parsed.problem}\n(npm run ${shape.name} --help says what is possible)`);
  process.exit(exitCodes.usage);
}
