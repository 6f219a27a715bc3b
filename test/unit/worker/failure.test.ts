// Does a worker that cannot go on say so, to its caller or by its exit, and answer no more?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { writeAssignment } from '../../../src/api/assignment.ts';
import { runWorker, type WorkerOptions } from '../../../src/worker/index.ts';
import type { Launcher } from '../../../src/worker/launch/launcher.ts';
import { startRuntime } from '../../../src/worker/runtime.ts';
import { readLibrarySettings } from '../../../src/worker/settings.ts';
import { eventually, living } from '../../support/processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'swarm-worker-'));
const configFile = join(folder, 'config.yml');
const settings = { configFile, worker: 'w-0', bindAddress: '127.0.0.1', port: 0 };

beforeAll(() => {
  const slice = { version: 1, jobs: ['a', 'b'] };
  writeFileSync(configFile, writeAssignment({ version: 1, workloads: new Map([['w-0', slice]]) }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const never = new AbortController().signal;
const quiet = { info: () => undefined, warn: () => undefined };

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/internal/version`, { headers: { connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Its log fails when it is to write this message; `port` is that of the worker. */
function failingAt(message: string) {
  const seen = { port: 0 };
  const info: NonNullable<WorkerOptions['log']>['info'] = (text, details) => {
    if (text === 'serving') seen.port = Number(details?.['port']);
    if (text === message) throw new Error('the log is full');
  };
  return { seen, log: { ...quiet, info } };
}

it.each(['assigned', 'started', 'confirmed'])(
  'a worker whose log fails at "%s" rejects, aborts its streams and answers no more',
  async (message) => {
    const { seen, log } = failingAt(message);
    const signals: AbortSignal[] = [];
    const stream: WorkerOptions['stream'] = ({ signal }) => {
      signals.push(signal);
      return once(signal, 'abort').then(() => undefined);
    };
    await expect(runWorker({ ...settings, stream, log, signal: never })).rejects.toThrow(
      'the log is full',
    );
    expect(signals.filter(({ aborted }) => !aborted)).toEqual([]);
    expect(seen.port).toBeGreaterThan(0);
    expect(await answers(seen.port)).toBe(false);
  },
);

it('a worker whose log fails at a problem of the file rejects', async () => {
  const broken = join(folder, 'broken.yml');
  writeFileSync(broken, '- not an assignment');
  const warn = (message: string): void => {
    throw new Error(`no log for "${message.slice(0, 5)}"`);
  };
  const stream = (): Promise<void> => Promise.resolve();
  const log = { ...quiet, warn };
  const running = runWorker({ ...settings, configFile: broken, stream, log, signal: never });
  await expect(running).rejects.toThrow('no log for "file:"');
});

it('a worker that rejects leaves no handler of SIGTERM', async () => {
  const before = process.listenerCount('SIGTERM');
  const { log } = failingAt('assigned');
  const stream = (): Promise<void> => Promise.resolve();
  await expect(runWorker({ ...settings, stream, log })).rejects.toThrow('the log is full');
  expect(process.listenerCount('SIGTERM')).toBe(before);
});

it('a worker fails when its launcher cannot start a stream', async () => {
  const read = readLibrarySettings(settings, {});
  if (read.wants !== 'run') throw new Error('the settings are wrong');
  const killed: string[] = [];
  const launcher: Launcher = {
    start: ({ stream }) => {
      throw new Error(`stream ${stream} still runs`);
    },
    signal: () => undefined,
    detailsOf: () => ({}),
    killAll: () => void killed.push('all'),
  };
  const runtime = await startRuntime({
    settings: read.settings,
    log: quiet,
    launch: () => launcher,
  });
  expect(String(await runtime.failed)).toBe('Error: stream a still runs');
  expect(killed).toEqual(['all']);
  expect(await answers(runtime.port)).toBe(false);
});

it('a worker calls a handler again after any thrown value', async () => {
  let calls = 0;
  const ending = new AbortController();
  const stream = (): Promise<void> => {
    calls += 1;
    if (calls > 6) ending.abort();
    return Promise.reject(Object.create(null));
  };
  await runWorker({
    ...settings,
    stream,
    log: quiet,
    backoffInitial: '1ms',
    signal: ending.signal,
  });
  expect(calls).toBeGreaterThan(6);
});

/** The fifth line of the log cannot be written: the streams run then. */
const failing = `data:text/javascript,
  const write = Date.prototype.toISOString;
  let lines = 0;
  Date.prototype.toISOString = function () {
    lines += 1;
    if (lines === 5) throw new Error('no time');
    return write.call(this);
  };`;

it('a worker program that fails ends with code 1 and the reason, and its streams end with it', async () => {
  const args = ['--config-file', configFile, '--worker', 'w-0', '--port', '0'];
  const command = ['--', process.execPath, '-e', 'console.log(process.pid);setInterval(()=>0,9e9)'];
  const child = spawn(
    process.execPath,
    ['--import', failing, 'src/worker/main.ts', ...args, ...command],
    { env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const chunks: Buffer[] = [];
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code]: unknown[] = await once(child, 'close');
  const output = Buffer.concat(chunks).toString('utf8');
  expect(code).toBe(1);
  expect(output).toContain('warn fatal error: no time');
  const pids = [...output.matchAll(/pid=(\d+)/g)].map(([, pid]) => Number(pid));
  expect(pids).not.toEqual([]);
  await eventually('its streams have ended', () => living(pids).length === 0);
});
