// What ends with a container, and what does not.
import { type ChildProcess, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { afterEach, expect, it } from '@jest/globals';
import { PodProcess } from '../../../../src/playground/node/containers/process.ts';
import { living } from '../../../support/processes.ts';

const unshare = ['unshare', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']), '--mount'];
const inNamespace = (script: string): string[] => [...unshare, '--', 'sh', '-c', script];
const namespaceOf = (pid: number | undefined): string => readlinkSync(`/proc/${pid}/ns/mnt`);

let stranger: ChildProcess | undefined;
afterEach(() => void stranger?.kill('SIGKILL'));

it('with a container ends no stranger, though the kernel gives away the number of its namespace before its node notes the end', async () => {
  const argv = inNamespace('echo started >&3; exec sleep 600');
  const container = new PodProcess({ argv, env: { PATH: process.env['PATH'] ?? '' }, cwd: '/', reportsStart: true }, () => undefined);
  expect(await container.started).toBe(true);
  const pid = container.pid ?? 0;
  // From here until `ended` is waited for the node hears of nothing.
  process.kill(pid, 'SIGKILL');
  while (living([pid]).length > 0);
  const [file = '', ...args] = inNamespace('exec sleep 600');
  stranger = spawn(file, args, { stdio: 'ignore' });
  while (namespaceOf(stranger.pid) === namespaceOf(process.pid));
  await container.ended;
  expect(living([stranger.pid])).toEqual([stranger.pid]);
});
