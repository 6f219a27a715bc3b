import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { demoCommand, type Template } from '../../../src/worker/launch/command.ts';
import {
  helpText,
  readLibrarySettings,
  readSettings,
  type WorkerSettings,
} from '../../../src/worker/settings.ts';

type Environment = Record<string, string>;
const pod: Environment = { POD_NAME: 'w-0' };

function settingsOf(
  args: readonly string[],
  environment: Environment,
): WorkerSettings & { readonly command: Template } {
  const read = readSettings(args, environment);
  if (read.wants !== 'run') throw new Error(JSON.stringify(read));
  return { ...read.settings, command: read.command };
}

function problemsOf(args: readonly string[], environment: Environment): readonly string[] {
  const read = readSettings(args, environment);
  return read.wants === 'correction' ? read.problems : [];
}

describe('settings', () => {
  it.each([
    ['an argument that is no flag', ['two\nlines'], pod],
    ['a flag without its value', ['--worker', '--port'], pod],
    ['a long value', [`--on-exit=${'x'.repeat(100_000)}`], pod],
    ['a variable of two lines', [], { ...pod, SWARM_EXEC_FILE: '/no/such\nfile' }],
  ])('worker settings with %s are refused in one line', (_, args, environment) => {
    const problems = problemsOf(args, environment);
    expect(problems).not.toEqual([]);
    for (const problem of problems) expect(problem).toMatch(/^[\P{Cc}]{10,1000}$/u);
  });

  it('worker settings have defaults that fit a pod', () => {
    expect(settingsOf([], pod)).toEqual({
      configFile: '/app/config/config.yml',
      worker: 'w-0',
      podUid: '',
      assignedFile: undefined,
      bindAddress: undefined,
      port: 9090,
      command: demoCommand,
      pollMs: 2_000,
      policy: {
        backoffInitialMs: 1_000,
        backoffMaxMs: 60_000,
        backoffResetMs: 30_000,
        stopGraceMs: 10_000,
        drainMs: 25_000,
        onExit: 'restart',
      },
    });
  });

  const rows: [
    title: string,
    args: readonly string[],
    environment: Environment,
    want: Partial<WorkerSettings & { readonly command: Template }>,
  ][] = [
    [
      'variables of the pod',
      [],
      { ...pod, POD_UID: 'u', POD_IP: '10.0.0.1' },
      { podUid: 'u', bindAddress: '10.0.0.1' },
    ],
    ['the host name where there is no other', [], { HOSTNAME: 'h-1' }, { worker: 'h-1' }],
    ['POD_NAME before HOSTNAME', [], { ...pod, HOSTNAME: 'h-1' }, { worker: 'w-0' }],
    ['SWARM_WORKER before POD_NAME', [], { ...pod, SWARM_WORKER: 's-2' }, { worker: 's-2' }],
    ['a flag before all', ['--worker', 'f-3'], { ...pod, SWARM_WORKER: 's-2' }, { worker: 'f-3' }],
    ['an empty variable counts as not set', [], { ...pod, SWARM_WORKER: '' }, { worker: 'w-0' }],
    [
      'a variable of a Service called swarm is ignored',
      [],
      { ...pod, SWARM_PORT: 'tcp://10.0.0.9:80' },
      { port: 9090 },
    ],
    ['a command', ['--exec', `cat -- '{stream}'`], pod, { command: ['cat', '--', '{stream}'] }],
    [
      'a command that passes names to a program of which the user says how it takes them',
      ['--literal-arguments', 'play, run', '--exec', `run '{stream}'`],
      pod,
      { command: ['run', '{stream}'] },
    ],
    [
      'the same by environment',
      ['--', 'run', '{stream}'],
      { ...pod, SWARM_LITERAL_ARGUMENTS: 'run' },
      { command: ['run', '{stream}'] },
    ],
    ['a command by environment', [], { ...pod, SWARM_EXEC: 'run a' }, { command: ['run', 'a'] }],
    [
      'a command after --',
      ['--port=0', '--', 'run', '--port', 'a b'],
      pod,
      { port: 0, command: ['run', '--port', 'a b'] },
    ],
    ['-- before the environment', ['--', 'x'], { ...pod, SWARM_EXEC: 'y' }, { command: ['x'] }],
    ['times', ['--poll-interval', '1.5s'], pod, { pollMs: 1_500 }],
    ['times of several units', ['--poll-interval', '1m30s'], pod, { pollMs: 90_000 }],
  ];
  it.each(rows)('the worker reads its settings: %s', (_, args, environment, want) =>
    expect(settingsOf(args, environment)).toMatchObject(want),
  );

  const bad: [args: readonly string[], environment: Environment, says: string][] = [
    [[], {}, '--worker: missing'],
    [['--port', '65536'], pod, '--port is "65536"; allowed is a whole number from 0 to 65535'],
    [['--port', '-1'], pod, '--port'],
    [[], { ...pod, SWARM_PORT: 'http' }, 'SWARM_PORT is "http"'],
    [['--stop-grace', '10'], pod, '--stop-grace is "10"; allowed is a time from 0ms to 60m'],
    [['--poll-interval', '1ms'], pod, '--poll-interval is "1ms"; allowed is a time from 50ms'],
    [['--drain-timeout', '2000m'], pod, '--drain-timeout'],
    [
      ['--backoff-max', '500ms'],
      pod,
      '--backoff-max is 500ms; it must not be shorter than --backoff-initial',
    ],
    [
      [],
      { ...pod, SWARM_ON_EXIT: 'stop' },
      'SWARM_ON_EXIT is "stop"; allowed is one of restart, complete',
    ],
    [['--exec', 'a | b'], pod, '--exec: the command has |'],
    [['--', 'sh', '-c', '{stream}'], pod, '--: the command puts a name'],
    [['--', 'run', '{stream}'], pod, '--: the command passes {stream} to run ({stream}, argument'],
    [['--literal-arguments', 'a,sh'], pod, '--literal-arguments: sh runs what its arguments say'],
    [
      ['--exec', 'a', '--', 'b'],
      pod,
      '--exec, --exec-file and a command after -- exclude each other; use only one',
    ],
    [['--shell'], pod, 'unknown flag --shell'],
    [['stray'], pod, 'unexpected argument "stray"'],
  ];
  it.each(bad)('the worker refuses the settings %j %j', (args, environment, says) =>
    expect(problemsOf(args, environment).join('\n')).toContain(says),
  );

  it('the worker names every wrong setting at once', () =>
    expect(problemsOf(['--port', 'x', '--on-exit', 'y'], {})).toHaveLength(3));

  it('the worker shows its version whatever its settings', () =>
    expect(readSettings(['--port', 'x', '--version'], {})).toEqual({ wants: 'version' }));

  it('the help text of the worker has all settings', () => {
    expect(readSettings(['--help'], {})).toEqual({ wants: 'help' });
    expect(helpText()).toMatch(/\[25s\]\n +SWARM_DRAIN_TIMEOUT\n/);
  });

  describe('the command in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'swarm-settings-'));
    const file = join(folder, 'command');
    afterAll(() => rmSync(folder, { recursive: true }));

    it('the command in a file may have several lines', () => {
      writeFileSync(file, "ffmpeg\n  -i {param.url}\n  'http://out/{stream}'\n");
      expect(settingsOf(['--exec-file', file], pod).command).toEqual([
        'ffmpeg',
        '-i',
        '{param.url}',
        'http://out/{stream}',
      ]);
      expect(settingsOf([], { ...pod, SWARM_EXEC_FILE: file }).command[0]).toBe('ffmpeg');
      expect(settingsOf(['--exec', 'a'], { ...pod, SWARM_EXEC_FILE: file }).command).toEqual(['a']);
    });

    it('a file with a command is refused if it cannot be read, or if it needs a shell', () => {
      expect(problemsOf(['--exec-file', '/no/such/file'], pod).join()).toMatch(
        /^--exec-file: the command cannot be read: .*ENOENT/,
      );
      writeFileSync(file, 'a | b');
      expect(problemsOf(['--exec-file', file], pod).join()).toContain('has |, which needs a shell');
    });
  });

  it("the options of the library have the flags' names in camelCase", () => {
    const read = readLibrarySettings(
      { stopGrace: '5s', port: 0, onExit: 'complete' },
      { ...pod, SWARM_PORT: '7' },
    );
    expect(read).toMatchObject({
      settings: { worker: 'w-0', port: 0, policy: { stopGraceMs: 5_000, onExit: 'complete' } },
    });
    expect(readLibrarySettings({ stopGrace: 'soon' }, pod)).toMatchObject({
      problems: [expect.stringContaining('stopGrace is "soon"; allowed is a time')],
    });
    const command = { literalArguments: 'run' } as object;
    expect(readLibrarySettings(command, pod)).toMatchObject({
      problems: [expect.stringContaining('unknown option literalArguments')],
    });
    const misspelt = { stopgrace: '5s' } as object;
    expect(readLibrarySettings(misspelt, pod)).toMatchObject({
      problems: ['unknown option stopgrace; did you mean stopGrace?'],
    });
  });
});
