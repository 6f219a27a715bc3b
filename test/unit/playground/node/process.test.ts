import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PodProcess } from '../../../../src/playground/node/containers/process.ts';
import type { Guard } from '../../../../src/playground/processes/guard.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'process-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const sleep = (ms: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const until = (file: string): string => `until [ -e ${file} ]; do sleep 0.02; done`;

it('a process keeps late output when the node was stalled after its end', async () => {
  const [pid, gate, done] = ['pid', 'gate', 'done'].map((name) => path.join(dir, name)) as [
    string,
    string,
    string,
  ];
  // The first process ends; one in another session holds the output open, and writes while the
  // node is stalled.
  const stranger = `echo $$ > ${pid}; ${until(gate)}; echo written; touch ${done}; exec sleep 600`;
  const fallAsleep = (): void => {
    writeFileSync(gate, '');
    while (!existsSync(done)) sleep(10);
    sleep(1_000);
  };
  const guard: Guard = {
    pid: 0,
    watchProcess: () => undefined,
    forgetProcess: () => void setImmediate(fallAsleep),
    watchFolder: () => undefined,
    forgetFolder: () => undefined,
    close: async () => undefined,
  };
  let output = '';
  const launch = {
    argv: ['sh', '-c', `setsid sh -c '${stranger}' & ${until(pid)}`],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: '/',
    reportsStart: false,
  };
  const { ended } = new PodProcess(launch, (_, chunk) => (output += chunk.toString()), guard);
  expect((await ended).exitCode).toBe(0);
  expect(output).toBe('written\n');
  process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
});
