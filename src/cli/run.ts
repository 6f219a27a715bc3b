// Which command of swarmctl is meant? Each is a file in commands/.
import { hint } from '../api/nearest.ts';
import { exitCodes } from './arguments/command.ts';
import { helpOf, overviewOf } from './arguments/help.ts';
import { terminalOf } from './arguments/terminal.ts';
import { commands } from './commands/all.ts';

/** Returns the exit code. */
export async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version') return run(['version', '--client']);
  if (name === 'help' && args.length > 0) return run([...args.slice(0, 1), '--help']);
  if (name === '__complete') return offer(args);
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
  const names = commands.map(({ shape }) => shape.name);
  process.stderr.write(
    `swarmctl: there is no command ${JSON.stringify(name)}${hint(name, names)}; there is ${names.join(', ')}\n`,
  );
  return exitCodes.usage;
}

/** Requests that are still open must not keep a shell waiting. */
async function offer(words: readonly string[]): Promise<never> {
  const { complete } = await import('./complete.ts');
  const text = await complete(words, 'scripts');
  return new Promise(() => process.stdout.write(text, () => process.exit(exitCodes.ok)));
}
