// What does a real bash make of what swarmctl offers? The scripts of the other shells ask it alike.
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from '@jest/globals';
import { completions } from '../../../../src/cli/arguments/completion.ts';
import { offerFor, offerText } from '../../../../src/cli/arguments/offers.ts';
import { loadCommands } from '../../../../src/cli/commands/all.ts';
import { completion } from '../../../../src/cli/commands/completion.ts';
import { Files, ran } from '../ran.ts';

const files = new Files();
afterAll(() => files.remove());

const shapes = (await loadCommands()).map(({ shape }) => shape);
const names = async (): Promise<readonly string[]> => ['tv', 'tv:old', 'tv:on'];

/** The program answers only when it is asked for exactly these words. */
async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const script = files.write('completion.bash', (await ran(completion, 'bash')).stdout);
  const answer = files.write('answer', offerText(await offerFor(shapes, words, names)));
  const ask = `source "$1"; COMP_LINE="$2" COMP_POINT=\${#2} answer="$3"; shift 3; asked=(__complete "$@")
swarmctl() { [ "$#\n$(printf '%s\n' "$@")" = "\${#asked[@]}\n$(printf '%s\n' "\${asked[@]}")" ] && cat "$answer"; }
compopt() { echo "compopt $*"; }
_swarmctl swarmctl "\${COMP_LINE##*[ :=]}"; printf '%s\n' "\${COMPREPLY[@]}"`;
  const line = ['swarmctl', ...words].join(' ');
  const args = ['--norc', '-c', ask, 'bash', script, line, answer, ...words];
  return execFileSync('bash', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

const NO_FILES = 'compopt +o default';

describe('bash completes', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['sta'], ['status']],
    [['res'], ['resume', 'restart']],
    [['gr'], ['group']],
    [['group', 'imp'], ['import']],
    [
      ['group', 'import', '--'],
      [
        '--app-name',
        '--from-cluster',
        '--selector',
        '--name',
        '--namespace',
        '--context',
        '--kubeconfig',
        '--replicas',
        '--help',
      ],
    ],
    [
      ['group', 'import', '-n', 't'],
      ['tv', 'tv:old', 'tv:on'],
    ],
    [['group', 'nothing', '-'], []],
    [['status', '--w'], ['--watch']],
    [['status', '-o', 'j'], ['json']],
    [['status', '--output=j'], ['json']],
    [
      ['plan', '--output', ''],
      ['text', 'wide', 'json', 'yaml'],
    ],
    [['plan', '--workers', ''], []],
    [
      ['explain', ''],
      ['tv', 'tv:old', 'tv:on'],
    ],
    [
      ['explain', 'tv', 'tv:o'],
      ['old', 'on'],
    ],
    [['plan', 'tv', '--remove', 'tv:ol'], ['old']],
    [['plan', '--add', ''], []],
    [
      ['playground', ''],
      ['up', 'down', 'env'],
    ],
  ])('bash completes %j', async (words, found) =>
    expect(await completed(...words)).toEqual([NO_FILES, ...found]),
  );

  it.each([[['plan', '-f', 'comp']], [['group', 'import', 'comp']]])(
    'bash completes files after %j',
    async (words) => expect(await completed(...words)).toEqual([]),
  );
});

it.each([...completions.keys()])(
  'the completion of %s asks swarmctl what may follow',
  async (shell) =>
    expect(await ran(completion, shell)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(' __complete '),
    }),
);

it('swarmctl completion refuses a shell that it does not know', async () =>
  expect(await ran(completion, 'tcsh')).toMatchObject({
    code: 2,
    stderr: 'unknown shell "tcsh"; allowed are bash, zsh, fish\n',
  }));
