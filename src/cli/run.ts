// Which command of swarmctl is meant? Each is a file in commands/.
import { hint } from '../api/nearest.ts';
import { exitCodes } from './arguments/command.ts';
import { helpOf, overviewOf } from './arguments/help.ts';
import { inTopic, splitName } from './arguments/names.ts';
import { terminalOf } from './arguments/terminal.ts';
import { commandNames, loadCommand, loadCommands } from './commands/all.ts';

const named = commandNames.map((name) => ({ name }));

/** Returns the exit code. */
export async function run(words: readonly string[]): Promise<number> {
  const { name, rest } = splitName(named, words);
  if (name === '--version') return run(['version', '--client']);
  if (name === 'help' && rest.length > 0) return run([...nameIn(rest), '--help']);
  if (name === '__complete') return offer(rest);
  const command = await loadCommand(name);
  if (command !== undefined) {
    const { shape, main } = command;
    return main(
      rest,
      terminalOf(`swarmctl ${shape.name}`, () => helpOf(shape)),
    );
  }
  if (name === '' || isHelp(name) || inTopic(named, name).length > 0) {
    const shapes = (await loadCommands()).map(({ shape }) => shape);
    const its = inTopic(shapes, name);
    process.stdout.write(its.length > 0 ? overviewOf(its, `${name} COMMAND`) : overviewOf(shapes));
    return exitCodes.ok;
  }
  const [topic = ''] = words;
  const known = inTopic(named, topic).length > 0 ? inTopic(named, topic) : named;
  const names = known.map((it) => it.name);
  process.stderr.write(
    `swarmctl: unknown command ${JSON.stringify(name)}${hint(name, names)}; the commands are ${names.join(', ')}\n`,
  );
  return exitCodes.usage;
}

const isHelp = (word: string): boolean => ['help', '--help', '-h'].includes(word);

const nameIn = (words: readonly string[]): readonly string[] =>
  splitName(named, words).name.split(' ');

/** Requests that are still open must not keep a shell waiting. */
async function offer(words: readonly string[]): Promise<never> {
  const { complete } = await import('./complete.ts');
  const text = await complete(words);
  return new Promise(() => process.stdout.write(text, () => process.exit(exitCodes.ok)));
}
