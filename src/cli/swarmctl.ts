#!/usr/bin/env node
// Which command of swarmctl is meant? Each is a file in commands/.
import { exitCodes } from './arguments/command.ts';
import { helpOf, overviewOf } from './arguments/help.ts';
import { terminalOf } from './arguments/terminal.ts';
import { commands } from './commands/all.ts';

const [name, ...args] = process.argv.slice(2);
const command = commands.find(({ shape }) => shape.name === name);
if (command !== undefined) {
  const { shape, main } = command;
  process.exitCode = await main(
    args,
    terminalOf(`swarmctl ${shape.name}`, () => helpOf(shape)),
  );
} else if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
  process.stdout.write(overviewOf(commands.map(({ shape }) => shape)));
} else {
  process.stderr.write(
    `swarmctl: there is no command ${JSON.stringify(name)}; there is ${commands.map(({ shape }) => shape.name).join(', ')}\n`,
  );
  process.exitCode = exitCodes.usage;
}
