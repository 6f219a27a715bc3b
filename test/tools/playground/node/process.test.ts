// Which processes end with a container?
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { systemPath, wrap } from '../../../../src/playground/node/containers/mounts.ts';
import { PodProcess } from '../../../../src/playground/node/containers/process.ts';
import { living } from '../../../support/processes.ts';

const unshare = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
];
const inNamespace = (script: string): string[] => [...unshare, '--', 'sh', '-c', script];
const namespaceOf = (pid: number | undefined): string => readlinkSync(`/proc/${pid}/ns/mnt`);

/** Stalls this process. */
const sleep = (ms: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

let stranger: ChildProcess | undefined;
afterEach(() => void stranger?.kill('SIGKILL'));

it('stopping a container kills no unrelated process when its namespace ID is reused', async () => {
  const argv = inNamespace('echo started >&3; exec sleep 600');
  const container = new PodProcess(
    { argv, env: { PATH: process.env['PATH'] ?? '' }, cwd: '/', reportsStart: true },
    () => undefined,
  );
  expect(await container.started).toBe(true);
  const pid = container.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  while (living([pid]).length > 0);
  const [file = '', ...args] = inNamespace('exec sleep 600');
  stranger = spawn(file, args, { stdio: 'ignore' });
  while (namespaceOf(stranger.pid) === namespaceOf(process.pid));
  await container.ended;
  expect(living([stranger.pid])).toEqual([stranger.pid]);
});

it('stopping a container kills processes in other sessions, also when the node was stalled', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'process-'));
  const wish = {
    root: path.join(dir, 'root'),
    mounts: [],
    workingDir: '/',
    hostname: 'h',
    path: systemPath,
    program: 'sh',
  };
  const identity = { uid: undefined, gid: undefined, groups: [] };
  const argv = wrap(process.getuid?.() === 0, { ...wish, identity });
  const script = `setsid sleep 600 & echo $! > ${dir}/pid`;
  const container = new PodProcess(
    {
      argv: [...argv, 'sh', '-c', script],
      env: { PATH: systemPath },
      cwd: '/',
      reportsStart: true,
    },
    () => undefined,
  );
  sleep(1_000);
  expect(await container.ended).toMatchObject({ exitCode: 0, failure: undefined });
  expect(living([Number(readFileSync(`${dir}/pid`, 'utf8'))])).toEqual([]);
  rmSync(dir, { recursive: true });
});
