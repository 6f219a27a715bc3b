// Which command of swarmctl is meant? Each is a file in commands/.
import { exitCodes } from './arguments/command.ts';
import { helpOf, overviewOf } from './arguments/help.ts';
import { terminalOf } from './arguments/terminal.ts';
import { commands } from './commands/all.ts';

/** Returns the exit code. */
export async function run([name, ...args]: readonly string[]): Promise<number> {
  const command = commands.find(({ shape }) => shape.name === name);
  if (command !== undefined) {
    const { shape, main } = command;
    return main(
      args,
      terminalOf(`swarmctl ${shape.name}`, () => helpOf(shape)),
    );
  }
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(overviewOf(commands.map(({ shape }) => shape)));
    return exitCodes.ok;
  }
  process.stderr.write(
    `swarmctl: there is no command ${JSON.stringify(name)}; there is ${commands.map(({ shape }) => shape.name).join(', ')}\n`,
  );
  return exitCodes.usage;
}
