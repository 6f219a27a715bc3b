// A check that is interrupted leaves no process, even of a worker whose streams are processes of
// their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { isAlive, until } from '../../integration/worker/worker.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

function checking(script: string): ChildProcess {
  const worker = `exec '${process.execPath}' '${root}src/worker/main.ts' -- sh -c '${script}' sh {stream}`;
  return spawn(process.execPath, [`${root}src/cli/swarmctl.ts`, 'worker-check', '--run', worker], {
    stdio: 'ignore',
  });
}

it('Ctrl-C ends worker-check, the worker and its streams', async () => {
  // A free port's number, so that this sleep differs from others on this machine.
  const seconds = 100_000 + process.pid;
  const check = checking(`exec sleep ${seconds}`);
  const sleepers = (): readonly number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && commandOf(name) === `sleep\0${seconds}\0`)
      .map(Number);
  const pids = await until('its streams run', () => {
    const all = sleepers();
    return all.length > 0 ? all : undefined;
  });
  check.kill('SIGINT');
  const [code] = (await once(check, 'exit')) as [number];
  expect(code).toBe(1);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(sleepers()).toEqual([]);
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
