// Does swarmctl follow what changes: on a terminal, along a log, on standard input?
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, unseenBy } from '../../support/processes.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';
import { program } from './swarmctl.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const streams = names(6);
let swarm: Swarm;
let pool: Pool;
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool('going', { streams, workers: 2 });
  const { kubeconfig, binaries } = swarm.playground.plane;
  const programs = [
    path.join(root, 'bin'),
    path.dirname(binaries.kubectl),
    path.dirname(process.execPath),
    process.env['PATH'],
  ];
  env = {
    ...process.env,
    KUBECONFIG: kubeconfig,
    PATH: programs.join(path.delimiter),
    TERM: 'xterm',
  };
  await pool.converged(streams, 2);
});

afterAll(async () => {
  // Of a test that failed.
  for (const { signal } of started) signal('SIGKILL');
  await swarm?.stop();
});

type Going = {
  readonly text: () => string;
  readonly type: (keys: string) => void;
  readonly endInput: () => void;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<unknown[]>;
};

const started: Going[] = [];

function start(file: string, args: readonly string[]): Going {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let told = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => (told += String(data)));
  const going: Going = {
    text: () => told,
    type: (keys) => void child.stdin.write(keys),
    endInput: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    ended: once(child, 'close'),
  };
  started.push(going);
  return going;
}

const swarmctl = (...args: readonly string[]) => start(process.execPath, [...program, ...args]);

/** In a terminal of 100 columns, which `script` makes. */
const onTerminal = (...args: readonly string[]) =>
  start('script', [
    '-qfec',
    `stty cols 100 rows 30; exec ${[process.execPath, ...program, ...args].join(' ')}`,
    '/dev/null',
  ]);

describe('status --watch on a terminal', () => {
  it('status --watch redraws in place, keeps what stands above, and ends on Ctrl-C with the last state', async () => {
    const watching = onTerminal('status', 'tv', '-n', 'going', '--watch');
    await eventually('it shows two workers', () =>
      /2 of 2 workers converged/.test(watching.text()),
    );
    await pool.scale(3);
    await pool.converged(streams, 3);
    await eventually('it shows three', () => /3 of 3 workers converged/.test(watching.text()));
    watching.type('\u0003');
    expect(await watching.ended).toEqual([0, null]);
    // Up to the first line of the last drawing, never a cleared screen.
    expect(watching.text()).toMatch(/\r\S\[\d+A/);
    expect(watching.text()).not.toContain('\u001b[2J');
    expect(watching.text()).not.toContain('\u001b[3J');
  });

  it('status --watch exits with 1 while a pool is not Ready', async () => {
    await pool.edit({ streams: [{ name: 'heavy', weight: 101 }] });
    await pool.until(
      'has no worker for it',
      ({ unassigned }) => unassigned?.[0]?.reason === 'TooHeavy',
    );
    const watching = onTerminal('status', 'tv', '-n', 'going', '-w');
    await eventually('it says so', () => watching.text().includes('TooHeavy'));
    watching.type('\u0003');
    expect(await watching.ended).toEqual([1, null]);
    await pool.streams(streams);
    await pool.converged(streams, 3);
  });
});

describe('logs --follow', () => {
  it('logs --follow continues at the next worker of a stream, and when that worker is replaced', async () => {
    const { slices } = await pool.published();
    const [stream = ''] = slices.get('worker-2')?.jobs ?? [];
    const following = swarmctl('logs', 'tv', stream, '-n', 'going', '--follow');
    const starts = (): number =>
      following.text().split(`[${stream}] consuming "${stream}"\n`).length - 1;
    await eventually('its start', () => starts() === 1);
    // The log of the next worker is read from the move on, also when that is noticed later.
    await unseenBy(following, async () => {
      await pool.scale(2);
      await pool.converged(streams, 2);
      const start = performance.now();
      await eventually('a while has passed', () => performance.now() - start > 12_000);
    });
    // A few seconds more of that log are read: it may have been there before.
    await eventually('its start at another worker', () => starts() >= 2).catch((error: unknown) => {
      throw new Error(`${String(error)}; it wrote:\n${following.text()}`);
    });
    const [worker = ''] =
      [...(await pool.published()).slices].find(([, { jobs }]) => jobs.includes(stream)) ?? [];
    expect(following.text()).toContain(`swarmctl logs: ${stream} is now on ${worker}\n`);
    // The log of the previous worker is still read beside it.
    await eventually('its end at the first', () =>
      following.text().includes(`[${stream}] stopped consuming "${stream}"\n`),
    );
    const known = starts();
    await swarm.kubectl('-n', 'going', 'delete', 'pod', worker);
    await eventually('its start in the new pod', () => starts() > known);
    await eventually('what the workers themselves say', () =>
      [' info started', ' info stopped'].every((said) =>
        following.text().includes(`${said} stream=${stream}`),
      ),
    );
    following.signal('SIGINT');
    expect(await following.ended).toEqual([0, null]);
  });
});

describe('-f - reads standard input', () => {
  const manifest = {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata: { name: 'tv', namespace: 'going' },
    spec: {
      streams: [...streams, 'late'].map((name) => ({ name })),
      workers: { selector: { matchLabels: { app: 'worker' } } },
    },
  };

  it.each([
    [['validate', '-f', '-'], '1 SwarmPool, no errors'],
    [['plan', '-f', '-', '-n', 'going'], 'late'],
    [['plan', '-f', '-', '--offline', '--workers', '2'], 'late'],
  ])('swarmctl %j reads standard input that arrives in pieces', async (args, says) => {
    const going = swarmctl(...args);
    const text = JSON.stringify(manifest);
    going.type(text.slice(0, 40));
    going.type(`${text.slice(40)}\n`);
    going.endInput();
    await going.ended;
    expect(going.text()).toContain(says);
  });
});

describe('kubectl swarm', () => {
  const run = promisify(execFile);

  it('kubectl swarm runs swarmctl', async () => {
    const { stdout } = await run('kubectl', ['swarm', 'status', 'tv', '-n', 'going'], { env });
    expect(stdout).toContain('SwarmPool going/tv');
  });

  it.each([
    [
      ['pl'],
      [
        'plan\tshow what would move, and why; changes nothing',
        'playground\trun a local Kubernetes to try things out: up, down, env',
        ':4',
      ],
    ],
    [
      ['status', '-o', ''],
      ['text', 'wide', 'json', 'yaml', ':4'],
    ],
    [['validate', ''], [':0']],
  ])('kubectl completes %j', async (words, wanted) => {
    const { stdout } = await run('kubectl', ['__complete', 'swarm', ...words], { env });
    expect(stdout.trim().split('\n')).toEqual(wanted);
  });
});
