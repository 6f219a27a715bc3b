// Which command of swarmctl is meant? Each is a file in commands/.
import { hint } from '../api/nearest.ts';
import { exitCodes } from './arguments/command.ts';
import { helpOf, overviewOf } from './arguments/help.ts';
import { inTopic, splitName } from './arguments/names.ts';
import { terminalOf } from './arguments/terminal.ts';
import { commands } from './commands/all.ts';

/** Returns the exit code. */
export async function run(words: readonly string[]): Promise<number> {
  const shapes = commands.map(({ shape }) => shape);
  const { name, rest } = splitName(shapes, words);
  if (name === '--version') return run(['version', '--client']);
  if (name === 'help' && rest.length > 0) return run([...nameIn(rest), '--help']);
  if (name === '__complete') return offer(rest);
  const command = commands.find(({ shape }) => shape.name === name);
  if (command !== undefined) {
    const { shape, main } = command;
    return main(
      rest,
      terminalOf(`swarmctl ${shape.name}`, () => helpOf(shape)),
    );
  }
  const its = inTopic(shapes, name);
  if (name === '' || isHelp(name) || its.length > 0) {
    process.stdout.write(its.length > 0 ? overviewOf(its, `${name} COMMAND`) : overviewOf(shapes));
    return exitCodes.ok;
  }
  const [topic = ''] = words;
  const known = inTopic(shapes, topic).length > 0 ? inTopic(shapes, topic) : shapes;
  const names = known.map((shape) => shape.name);
  process.stderr.write(
    `swarmctl: unknown command ${JSON.stringify(name)}${hint(name, names)}; the commands are ${names.join(', ')}\n`,
  );
  return exitCodes.usage;
}

const isHelp = (word: string): boolean => ['help', '--help', '-h'].includes(word);

const nameIn = (words: readonly string[]): readonly string[] =>
  splitName(
    commands.map(({ shape }) => shape),
    words,
  ).name.split(' ');

/** Requests that are still open must not keep a shell waiting. */
async function offer(words: readonly string[]): Promise<never> {
  const { complete } = await import('./complete.ts');
  const text = await complete(words);
  return new Promise(() => process.stdout.write(text, () => process.exit(exitCodes.ok)));
}
