// Does an operator that cannot start say why and end, and does one that can wait go on?
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { nobodysPort } from '../../support/misbehaving-server.ts';
import { eventually } from '../../support/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'start-'));
/** Of an API server that is away. */
const kubeconfig = join(folder, 'config.json');
const holder = createServer();
let takenPort = '';
const children: ChildProcess[] = [];

beforeAll(async () => {
  const cluster = { server: `http://127.0.0.1:${nobodysPort}`, 'insecure-skip-tls-verify': true };
  const config = {
    clusters: [{ name: 'away', cluster }],
    users: [{ name: 'me', user: {} }],
    contexts: [{ name: 'away', context: { cluster: 'away', user: 'me' } }],
    'current-context': 'away',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  holder.listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const bound = holder.address();
  if (bound !== null && typeof bound === 'object') takenPort = String(bound.port);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
  holder.close();
  rmSync(folder, { recursive: true });
});

function start(args: readonly string[]) {
  const ports = ['health', 'metrics', 'introspection'].flatMap((name) => [`--${name}-port`, '0']);
  const flags = ['--bind-address', '127.0.0.1', '--log-format', 'json'];
  const child = spawn(process.execPath, ['src/main.ts', ...flags, ...ports, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, KUBECONFIG: undefined, HOME: folder },
  });
  children.push(child);
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = (): string => Buffer.concat(chunks).toString('utf8');
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  return { child, output, ended };
}

const cluster = (): readonly string[] => ['--kubeconfig', kubeconfig];

it.each([
  ['metrics', '--metrics-port', '--bind-address'],
  ['introspection', '--introspection-port', '--introspection-address'],
  ['health', '--health-port', '--bind-address'],
])(
  'the operator ends with code 1 and one sentence when the port of %s is taken',
  async (what, flag, host) => {
    const { output, ended } = start([...cluster(), flag, takenPort]);
    expect(await ended).toBe(1);
    const inUse = `listen EADDRINUSE: address already in use 127.0.0.1:${takenPort}`;
    const sentence = `cannot serve ${what}: ${inUse}; set ${flag} or ${host}`;
    expect(output().split('\n').slice(-2)).toEqual([`swarm-operator: ${sentence}`, '']);
  },
);

it('the operator ends with code 1 and one sentence when the machine does not have the address', async () => {
  const { output, ended } = start([...cluster(), '--bind-address', '192.0.2.1']);
  expect(await ended).toBe(1);
  const sentence = 'listen EADDRNOTAVAIL: address not available 192.0.2.1; set --metrics-port';
  expect(output()).toContain(`swarm-operator: cannot serve metrics: ${sentence}`);
});

it.each([
  [['--health-port', 'x'], '--health-port is "x"; allowed is a whole number from 0 to 65535'],
  [['--kubeconfig', '/no/such'], 'the kubeconfig /no/such does not exist; name one by'],
  [
    ['--kubeconfig', kubeconfig, '--metric-sources-file', '/no/such'],
    '/no/such (--metric-sources-file) cannot be read: ENOENT',
  ],
  [[], 'no kubeconfig: KUBECONFIG is not set and ~/.kube/config does not exist; name one by'],
])('the operator ends with code 2 when settings are wrong: %j', async (args, sentence) => {
  const { output, ended } = start(args);
  expect(await ended).toBe(2);
  expect(output()).toContain(`swarm-operator: ${sentence}`);
});

it.each([
  ['queues', true],
  ['jobs', true],
  ['queues,jobs', false],
])('an operator with --kinds %s starts, and its log warns: %s', async (kinds, warns) => {
  const { output } = start([...cluster(), '--kinds', kinds]);
  await eventually('it serves', () => output().includes('"message":"health"'));
  const warning = /"level":"warn","message":"--kinds has \w+ without \w+: /;
  expect(warning.test(output())).toBe(warns);
});

it('an operator without its API server waits, alive and not ready, until it is told to end', async () => {
  const { child, output, ended } = start(cluster());
  await eventually('it serves', () => output().includes('"message":"health"'));
  const port = /"message":"health","port":(\d+)/.exec(output())?.[1] ?? '';
  const statusOf = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/${path}`)).status;
  await eventually('a watch failed', () => output().includes('a watch broke'));
  expect([await statusOf('healthz'), await statusOf('readyz')]).toEqual([200, 503]);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
