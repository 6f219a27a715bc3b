// What does the reference page of swarmctl contain?
import { helpOf } from '../../src/cli/arguments/help.ts';
import { loadCommands } from '../../src/cli/commands/all.ts';
import { code, page, table } from './markdown.ts';

const GENERATED = '<!-- GENERATED from src/cli/commands/ by scripts/generate.ts. -->';

export async function cliReference(): Promise<string> {
  const commands = await loadCommands();
  return page([
    GENERATED,
    '# swarmctl',
    'Also `kubectl swarm`: a file named `kubectl-swarm` on `PATH`, as npm installs it, is a plugin; `kubectl_complete-swarm` beside it completes its command ' +
      'lines. In a checkout both are in the folder `bin`: put it on `PATH`, or type `npm run -s swarmctl -- COMMAND`.',
    'POOL, GROUP, QUEUE and JOB are names, also as users of kubectl write them: `tv`, `swarmpool/tv`, `swp/tv`, `swarmgroup/teastore`.',
    'Exit codes of every command: 0 no problem, 1 a problem was found, 2 no answer is possible (a wrong command line, no such pool, no connection to the cluster). Colours are for ' +
      'terminals, unless `NO_COLOR` is set; output into a pipe is never cut to a width.',
    table(
      ['Command', 'What it does'],
      commands.map(({ shape }) => [
        `[${shape.name}](#${shape.name.replace(' ', '-')})`,
        shape.summary,
      ]),
    ),
    ...commands.flatMap(({ shape }) => [
      `## ${shape.name}`,
      `\`\`\`text\n${withoutTitle(helpOf(shape))}\n\`\`\``,
    ]),
    `Every command has ${code('--help')}.`,
  ]);
}

/** The section has the title already. */
const withoutTitle = (help: string): string => help.split('\n').slice(2).join('\n').trimEnd();
