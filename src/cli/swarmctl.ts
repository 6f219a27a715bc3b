#!/usr/bin/env node
// Which command of swarmctl is meant? Each is a file in commands/.
import { exitCodes } from './arguments/command.ts';
import { helpOf, overviewOf } from './arguments/help.ts';
import { workerCheck } from './commands/worker-check.ts';

const commands = [workerCheck];

const [name, ...args] = process.argv.slice(2);
const command = commands.find(({ shape }) => shape.name === name);
if (command !== undefined) {
  process.exitCode = await command.main(args, {
    out: (text) => void process.stdout.write(`${text}\n`),
    problem: (text) => void process.stderr.write(`swarmctl ${command.shape.name}: ${text}\n(--help says what is possible)\n`),
    help: () => void process.stdout.write(helpOf(command.shape)),
  });
} else if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
  process.stdout.write(overviewOf(commands.map(({ shape }) => shape)));
} else {
  process.stderr.write(
    `swarmctl: there is no command ${JSON.stringify(name)}; there is ${commands.map(({ shape }) => shape.name).join(', ')}\n`,
  );
  process.exitCode = exitCodes.usage;
}
