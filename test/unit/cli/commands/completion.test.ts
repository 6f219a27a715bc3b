// What does a real bash complete? The scripts of the other shells hold the same words.
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import { shells } from '../../../../src/cli/arguments/completion.ts';
import { commands } from '../../../../src/cli/commands/all.ts';
import { completionFor } from '../../../../src/cli/commands/completion.ts';
import { flagName } from '../../../../src/flags.ts';
import { Files, ran } from '../ran.ts';

const completion = completionFor(() => commands.map(({ shape }) => shape));
const files = new Files();
afterAll(() => files.remove());

async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const script = files.write('completion.bash', (await ran(completion, 'bash')).stdout);
  // A program of this name is asked for names: it says how.
  const ask = `source "$1"; COMP_LINE="$2" COMP_POINT=\${#2}; swarmctl() { printf '%s\\n' "tv:of $*" tv; }; _swarmctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const line = ['swarmctl', ...words].join(' ');
  const text = execFileSync('bash', ['--norc', '-c', ask, 'bash', script, line], {
    encoding: 'utf8',
    cwd: files.folder,
  });
  return text.split('\n').filter(Boolean);
}

describe('bash completes', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['sta'], ['status']],
    [['res'], ['resume', 'restart']],
    [['gr'], ['group']],
    [['group', 'imp'], ['import']],
    [
      ['group', 'import', '--'],
      ['--app-name', '--namespace', '--replicas', '--help'],
    ],
    [['group', 'import', 'comp'], []],
    [
      ['group', 'import', '-n', 's'],
      ['tv:of __complete group import -n s', 'tv'],
    ],
    [['group', 'nothing', '-'], []],
    [['status', '--w'], ['--watch']],
    [['status', '-o', 'j'], ['json']],
    [
      ['plan', '--output', ''],
      ['text', 'wide', 'json', 'yaml'],
    ],
    [['plan', '-f', 'comp'], ['completion.bash']],
    [['plan', '--workers', '--'], []],
    [
      ['explain', ''],
      ['tv:of __complete explain ', 'tv'],
    ],
    [
      ['explain', 'tv', 'x'],
      ['tv:of __complete explain tv x', 'tv'],
    ],
    [
      ['explain', 'tv', 'tv:o'],
      ['of __complete explain tv tv:o', 'tv'],
    ],
    [
      ['top', '-n', 's'],
      ['tv:of __complete top -n s', 'tv'],
    ],
    [
      ['plan', 'tv', '--remove', ''],
      ['tv:of __complete plan tv --remove ', 'tv'],
    ],
    [['plan', '--add', ''], []],
    [
      ['playground', ''],
      ['tv:of __complete playground ', 'tv'],
    ],
  ])('%j', async (words, found) => expect(await completed(...words)).toEqual(found));
});

describe.each(shells)('for %s', (shell) => {
  it('completes every command and flag', async () => {
    const { stdout, code } = await ran(completion, shell);
    const wanted = commands.flatMap(({ shape }) => [
      shape.name,
      ...Object.keys(shape.flags).map(flagName),
    ]);
    expect(wanted.filter((word) => !stdout.includes(word))).toEqual([]);
    expect(code).toBe(0);
  });
});

it('refuses another shell', async () =>
  expect(await ran(completion, 'tcsh')).toMatchObject({
    code: 2,
    stderr: '"tcsh" is no shell that is known; bash, zsh, fish are\n',
  }));
