// Does every command in README.md and docs/ do what is shown? The test types all of them on one
// playground, which the tutorial's first command starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binariesFolder } from '../support/binaries-folder.ts';
import { eventually } from '../support/processes.ts';
import { commandsIn, type Shown } from './commands.ts';
import { isAsShown } from './compare.ts';
import { last, loose, pages, stays, untyped } from './pages.ts';
import { type Result, Shell } from './shell.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SECONDS = 600;

const shownIn = (page: string): readonly Shown[] =>
  commandsIn(page, readFileSync(`${root}${page}`, 'utf8'));
const isUntyped = ({ command }: Shown): boolean =>
  untyped.some(({ commands }) => commands.test(command));

describe('typed on a playground', () => {
  let folder = '';
  let env: NodeJS.ProcessEnv = {};
  let shell: Shell;
  const going: { readonly ended: Promise<unknown>; readonly kill: () => void }[] = [];

  beforeAll(async () => {
    const binaries = await binariesFolder();
    folder = mkdtempSync(path.join(tmpdir(), 'swarm-docs-'));
    const programs = [binaries, path.dirname(process.execPath), process.env['PATH']].join(
      path.delimiter,
    );
    // A separate cache folder, so that no other playground is used.
    env = {
      ...process.env,
      XDG_CACHE_HOME: folder,
      KUBEBUILDER_ASSETS: binaries,
      PATH: programs,
      NODE_OPTIONS: '',
    };
    shell = new Shell(root, env);
  });

  afterAll(async () => {
    await shell?.end();
    for (const { kill } of going) kill();
    await Promise.all(going.map(({ ended }) => ended));
    rmSync(folder, { recursive: true, force: true });
  });

  async function goOn(command: string, says: RegExp): Promise<void> {
    const child = spawn('bash', ['-c', `exec ${command}`], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.on('data', (data) => (told += String(data)));
    going.push({ ended: once(child, 'exit'), kill: () => void child.kill('SIGTERM') });
    await eventually(`${command} prints how to use it`, () => says.test(told), SECONDS);
  }

  /** A read-only command may run again: its expected output may still be on its way. */
  async function typeOut({ page, line, command, output }: Shown): Promise<void> {
    const isLook =
      output !== undefined &&
      /^(kubectl (-n \S+ )?(get|logs)|swarmctl (job |queue )?(status|streams|explain|history|list|logs|plan|why)) /.test(
        command,
      );
    const isLoose = loose.some((it) => it.test(command));
    const deadline = performance.now() + (isLook ? 120_000 : 0);
    let result: Result;
    let isRight: boolean;
    do {
      result = await shell.type(command, SECONDS);
      // swarmctl also returns 1 as an answer; where the page shows it, it is expected.
      const isFine =
        result.code === 0 ||
        (result.code === 1 && output !== undefined && command.startsWith('swarmctl '));
      isRight = isFine && (output === undefined || isAsShown(output, result.text, isLoose));
    } while (!isRight && performance.now() < deadline);
    if (isRight) return;
    const wanted = output === undefined ? 'exit code 0' : `expected output:\n${output.join('\n')}`;
    throw new Error(
      `${page}:${line}: ${command}\nexpected ${wanted}\ngot exit code ${result.code}:\n${result.text}`,
    );
  }

  it.each(pages.map(({ page, ...rest }) => [page, rest] as const))(
    'each command of %s does what the page shows',
    async (page, { given = [], folder: at = '.' }) => {
      for (const command of given)
        expect(await shell.type(command, SECONDS)).toMatchObject({ code: 0 });
      await shell.type(`cd ${root}${at}`, SECONDS);
      for (const shown of shownIn(page)) {
        if (isUntyped(shown) || shown.command === last) continue;
        const stay = stays.find(({ command }) => command === shown.command);
        await (stay === undefined ? typeOut(shown) : goOn(stay.command, stay.says));
      }
      await shell.type(`cd ${root}`, SECONDS);
    },
  );

  it(`${last} leaves nothing behind`, async () => {
    expect(await shell.type(last, SECONDS)).toMatchObject({ code: 0 });
    expect(await Promise.all(going.map(({ ended }) => ended))).toEqual([[0, null]]);
  });
});
