// Does swarm-worker accept every command with a name or parameter that documentation and samples
// show?
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { asList, asString, isRecord } from '../../../src/api/objects.ts';
import { splitTemplate } from '../../../src/worker/launch/command.ts';
import { readSettings } from '../../../src/worker/settings.ts';

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);
const files = [
  ...readdirSync('.').filter((name) => name !== 'CHANGELOG.md'),
  ...['docs', 'samples', 'deploy', 'envs'].flatMap(filesIn),
  'src/worker/README.md',
];

const hasName = (text: string): boolean => /\{(?:stream|param\.\w+)\}/.test(text);

/** Between backticks, and in blocks for a shell: the command alone, or swarm-worker's with it. */
function inPage(text: string): readonly string[] {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  return [...code, ...blocks.map((line) => line.trim())].filter(
    (command) => hasName(command) && /\s/.test(command) && !command.startsWith('swarmctl'),
  );
}

/** The `args` of every container, as they are. */
function argumentsIn(value: unknown): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap(argumentsIn);
  if (!isRecord(value)) return [];
  const own = asList(value['args']).flatMap((word) => asString(word) ?? []);
  const inner = Object.values(value).flatMap(argumentsIn);
  return hasName(own.join(' ')) ? [own, ...inner] : inner;
}

const pod = { POD_NAME: 'w-0', POD_UID: 'u' };

function problemIn(command: string): string | undefined {
  const [program, ...args] = command.split(' ');
  if (program === 'swarm-worker') {
    const read = readSettings(args, pod);
    return read.wants === 'correction' ? read.problems.join('\n') : undefined;
  }
  const read = splitTemplate(command);
  return read.ok ? undefined : read.problem;
}

const pages = files.filter((file) => file.endsWith('.md'));
const shown = pages.flatMap((file) =>
  inPage(readFileSync(file, 'utf8')).map((command) => [file, command] as const),
);
const manifests = files
  .filter((file) => /\.ya?ml$/.test(file) && !file.includes('/chart/'))
  .flatMap((file) =>
    loadAll(readFileSync(file, 'utf8'))
      .flatMap(argumentsIn)
      .map((args) => [file, args] as const),
  );

it('the docs and samples show templates of commands', () => {
  expect(shown.length).toBeGreaterThan(12);
  expect(manifests.length).toBeGreaterThan(3);
});

it.each(shown)('swarm-worker accepts the command in %s: %s', (_, command) =>
  expect(problemIn(command)).toBeUndefined(),
);

it.each(manifests)('swarm-worker accepts the arguments in %s: %j', (_, args) =>
  expect(readSettings(args, pod)).toMatchObject({ wants: 'run' }),
);

it('swarm-worker refuses a command with the words that docs/how-to/commands.md shows', () => {
  const page = readFileSync('docs/how-to/commands.md', 'utf8');
  const [, command = '', said = ''] = /^\$ (swarm-worker .*)\n(.*) …$/m.exec(page) ?? [];
  expect(said).not.toBe('');
  expect(problemIn(command)).toContain(said);
});
