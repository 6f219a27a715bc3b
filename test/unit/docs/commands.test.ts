// How are pages of the documentation read, and when does output match the page?
import { describe, expect, it } from '@jest/globals';
import { parseCommand } from '../../../src/cli/arguments/command.ts';
import { splitName } from '../../../src/cli/arguments/names.ts';
import { loadCommands } from '../../../src/cli/commands/all.ts';
import { commandsIn } from '../../docs/commands.ts';
import { isAsShown } from '../../docs/compare.ts';

describe('the commands of a page', () => {
  it('the commands of a page are read from shell blocks, with their output', () => {
    const page = [
      '# A',
      '```console',
      '$ kubectl get pods',
      'NAME',
      'a',
      '$ ls   # all',
      '```',
      '```sh',
      'one',
      '',
      '# why',
      'two \\',
      '  three',
      '```',
    ];
    expect(commandsIn('p', page.join('\n'))).toEqual([
      { page: 'p', line: 3, command: 'kubectl get pods', output: ['NAME', 'a'] },
      { page: 'p', line: 6, command: 'ls', output: undefined },
      { page: 'p', line: 9, command: 'one', output: undefined },
      { page: 'p', line: 12, command: 'two \\\n  three', output: undefined },
    ]);
  });

  it('a block without a language has a command where it looks typed; YAML and text have none', () => {
    const page = [
      '```',
      'kubectl get x',
      '```',
      '',
      '    npm run x',
      '    what it says',
      '```yaml',
      'a: npm run',
      '```',
      '```text',
      'Usage: npm',
      '```',
    ];
    expect(commandsIn('p', page.join('\n')).map(({ line, command }) => [line, command])).toEqual([
      [2, 'kubectl get x'],
      [5, 'npm run x'],
    ]);
  });
});

describe('the output of a command', () => {
  it.each<[string, readonly string[], string]>([
    ['is the same', ['a b', 'c'], 'a b\nc\n'],
    ['has other ages and wider columns', ['NAME  AGE', 'tv    4s'], 'NAME    AGE\ntv      2m13s\n'],
    ['has no age yet', ['2  0s'], '2  -'],
    ['has other pods', ['scraper-7cdbc5db68-dqr7r 0'], 'scraper-64bf7d9fd6-abcde 0'],
    ['has lines that are left out', ['a', '…', 'd'], 'a\nb\nc\nd'],
    ['has words that are left out', ['version …, ready'], 'version 12, ready'],
    ['has colours', ['x'], ' x '],
  ])('the output of a command matches the page where it %s', (_, shown, told) =>
    expect(isAsShown(shown, told)).toBe(true),
  );

  it.each<[string, readonly string[], string]>([
    ['another word', ['a b'], 'a c'],
    ['another number', ['tv 27'], 'tv 28'],
    ['a line more', ['a'], 'a\nb'],
    ['a line less', ['a', 'b'], 'a'],
    ['an age that is none', ['tv 4s'], 'tv 4x'],
  ])('the output of a command does not match a page with %s', (_, shown, told) =>
    expect(isAsShown(shown, told)).toBe(false),
  );

  it('output that depends on time may differ from the page in numbers', () => {
    expect(isAsShown(['tv 27 10'], 'tv 28 7', true)).toBe(true);
    expect(isAsShown(['tv 27'], 'tv x', true)).toBe(false);
    const shown = ['3 2s 10 1s More', '2 3s 0 - More', '1 9s 0 2s First'];
    expect(
      isAsShown(shown, '4 1s 5 1s More\n3 2s 6 - More\n2 3s 0 - More\n1 9s 0 2s First', true),
    ).toBe(true);
    expect(isAsShown(shown, '2 1s 5 1s More\n1 9s 0 2s Other', true)).toBe(false);
  });
});

const commands = await loadCommands();

describe('the examples of swarmctl', () => {
  const examples = commands.flatMap(({ shape }) =>
    shape.examples.map(([example]) => [example, shape] as const),
  );
  it.each(examples)('swarmctl parses the example of its help: %s', (example, shape) => {
    const [, words = ''] = /swarmctl ([^|&>)"]*(?:'[^']*'[^|&>)"]*)?)/.exec(example) ?? [];
    const all = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );
    const shapes = commands.map((command) => command.shape);
    const { name, rest } = splitName(shapes, all);
    expect(name).toBe(shape.name);
    expect(parseCommand(shape, rest)).toMatchObject({ wants: 'run' });
  });
});
