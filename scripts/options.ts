// How does a script of the project read its command line? Like a swarmctl command: parsed, refused
// and explained.
import { exitCodes, parseCommand, type Shape } from '../src/cli/arguments/command.ts';
import { helpOf } from '../src/cli/arguments/help.ts';
import type { Flags, Parsed } from '../src/flags.ts';

/** Ends this process with the help or the errors when there is nothing to run. */
export function parseOptions<const All extends Flags>(
  shape: Shape<All>,
): Extract<Parsed<All>, { readonly wants: 'run' }> {
  const parsed = parseCommand(shape, process.argv.slice(2));
  if (parsed.wants === 'run') return parsed;
  if (parsed.wants === 'help') {
    console.log(helpOf(shape, 'npm run'));
    process.exit(exitCodes.ok);
  }
  console.error(`${parsed.problems.join('\n')}\n(see npm run ${shape.name} --help)`);
  process.exit(exitCodes.usage);
}
