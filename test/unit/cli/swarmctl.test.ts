import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseCommand, type Shape } from '../../../src/cli/arguments/command.ts';
import { helpOf } from '../../../src/cli/arguments/help.ts';

const flags = {
  dry: { type: 'switch', help: 'only say it' },
  file: { type: 'text', value: 'FILE', help: 'what to read', short: 'f' },
  times: { type: 'number', value: 'N', fallback: 3, least: 1, most: 10, help: 'how often' },
  with: { type: 'texts', value: 'NAME', help: 'with these' },
  size: { type: 'whole', value: 'N', least: 0, most: 9, help: 'how large' },
  output: { type: 'choice', among: ['text', 'json'], help: 'how it is told' },
} as const;

const shape: Shape<typeof flags> = {
  name: 'try',
  summary: 'tries',
  operands: { usage: 'NAME', least: 1, most: 1 },
  about: 'About it.',
  examples: [['swarmctl try a', 'once']],
  flags,
};

describe('a command line', () => {
  it('a command takes defaults for flags that are left out', () => {
    expect(parseCommand(shape, ['a'])).toEqual({
      wants: 'run',
      values: { dry: false, file: undefined, times: 3, with: [], size: undefined, output: 'text' },
      operands: ['a'],
    });
  });

  it('a command takes every flag and operand', () => {
    const args = [
      '--dry',
      '-f',
      'x',
      '--times=2.5',
      'a',
      '--with',
      'b',
      '--with=c=d',
      '--size',
      '0',
      '--output',
      'json',
    ];
    expect(parseCommand(shape, args)).toMatchObject({
      values: { dry: true, file: 'x', times: 2.5, with: ['b', 'c=d'], size: 0, output: 'json' },
    });
  });

  it('a command line with --help asks for help, whatever else is in it', () =>
    expect(parseCommand(shape, ['a', 'b', '-h'])).toEqual({ wants: 'help' }));

  const rows: [args: readonly string[], problems: readonly string[]][] = [
    [[], ['NAME is missing']],
    [['a', 'b'], ['unexpected argument "b"; expected NAME']],
    [['a', '--times', '11'], ['--times is "11"; allowed is a number from 1 to 10']],
    [
      ['a', '--times', 'x', '--output', 'y'],
      [
        '--times is "x"; allowed is a number from 1 to 10',
        '--output is "y"; allowed is one of text, json',
      ],
    ],
    [['a', '--with', 'b', '--with', ''], ['--with is empty; expected NAME']],
    [['a', '--size', '1.5'], ['--size is "1.5"; allowed is a whole number from 0 to 9']],
    [['a', '--file', ''], ['--file is empty; expected FILE']],
    [['a', '--no-such'], ['unknown flag --no-such']],
  ];
  it.each(rows)('a command line with %j is refused', (args, problems) =>
    expect(parseCommand(shape, args)).toMatchObject({
      wants: 'correction',
      problems: problems.map((problem) => expect.stringContaining(problem)),
    }),
  );

  it('the help of a command has examples and defaults', () => {
    const help = helpOf(shape);
    for (const text of [
      'Usage: swarmctl try NAME [flags]',
      '# once\n  swarmctl try a',
      '-f, --file FILE',
      'how often [3]',
      '--output text|json',
    ]) {
      expect(help).toContain(text);
    }
  });
});

describe('swarmctl', () => {
  const main = fileURLToPath(new URL('../../../src/cli/swarmctl.ts', import.meta.url));
  const rows: [args: readonly string[], code: number, says: string][] = [
    [[], 0, 'worker-check'],
    [['--help'], 0, 'Exit codes: 0'],
    [['worker-check', '--help'], 0, "swarmctl worker-check --run 'python3 worker.py'"],
    [['version', '--client'], 0, 'swarmctl '],
    [['version', '--client', '-o', 'yaml'], 0, 'api: k8slab.info/v1alpha1'],
    [
      ['status', '--kubeconfig', '/no/such/file'],
      2,
      'does not exist; name one by --kubeconfig FILE',
    ],
    [['no-such'], 2, 'unknown command "no-such"; the commands are status, streams, '],
    [
      ['vlidate'],
      2,
      'unknown command "vlidate"; did you mean validate?; the commands are status, ',
    ],
    [['help', 'top'], 0, 'Usage: swarmctl top'],
    [['help', 'tpo'], 2, 'did you mean top?'],
    [['group'], 0, 'Usage: swarmctl group COMMAND'],
    [['group', '-h'], 0, 'group import '],
    [['help', 'group'], 0, 'group import '],
    [['help', 'group', 'import'], 0, 'Usage: swarmctl group import [FILE|MEMBER...]'],
    [
      ['group', 'imprt'],
      2,
      'unknown command "group imprt"; did you mean group import?; the commands are group',
    ],
    [['group', 'import'], 2, 'swarmctl group import: expected one FILE, or --from-cluster'],
    [['group', 'import', '/no/such/file'], 2, "no such file or directory, stat '/no/such/file'"],
    [['job'], 0, 'Usage: swarmctl job COMMAND'],
    [['queue', 'plan'], 2, 'swarmctl queue plan: --file: expected a file'],
    [['--version'], 0, 'k8slab.info/v1alpha1'],
    [['logs', '--folow'], 2, 'unknown flag --folow; did you mean --follow?'],
    [['logs', '--tail', '-x'], 2, '--tail: N is missing; write a value that begins with a dash as'],
    [['logs', '--all=3'], 2, '--all takes no value'],
    [['worker-check'], 2, 'expected either --run COMMAND, or a URL, or a pod'],
    [
      ['worker-check', '--patience', 'x', 'http://x'],
      2,
      '--patience is "x"; allowed is a number from 0.1 to 600',
    ],
    [
      ['worker-check', 'swarm/pod', '--kubeconfig', '/no/such/file'],
      2,
      'does not exist; name one by --kubeconfig FILE',
    ],
    [['worker-check', 'http://127.0.0.1:1'], 1, 'broken     1'],
  ];
  it.each(rows)('`swarmctl` with the arguments %j exits with %i', (args, code, says) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
      encoding: 'utf8',
    });
    expect(stdout + stderr).toContain(says);
    expect(status).toBe(code);
  });

  it('swarmctl ends without a message when its output is closed', () => {
    const piped = `{ '${process.execPath}' '${main}' completion bash; echo "code $?" >&2; } | true`;
    expect(spawnSync('bash', ['-c', piped], { encoding: 'utf8' }).stderr).toBe('code 141\n');
  });
});
