// Every worker in the documentation keeps its promises: swarm-worker, the library, and the samples
// in other languages. None starts with `exec`, as the documentation has it: the shell stays.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { promises } from '../../../src/conformance/promises.ts';
import { check, verdicts } from './check.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-workers-'));
const allKept = Object.fromEntries(promises.map(({ id }) => [id, 'kept']));
const curl = 'curl -sN';
const minutes = 300_000;

afterAll(() => rmSync(folder, { recursive: true }));

/**
 * It prints what is confirmed: when the stream is taken away, when it is given back, when it has
 * ended and was started anew.
 */
const givenBack = `
from types import SimpleNamespace
from threading import Event
from worker import Worker
slow = SimpleNamespace(parameters={}, stop=Event(), is_alive=lambda: not ended.is_set())
ended = Event()
worker = Worker()
worker.streams, worker.confirmed = {"a": slow}, 1
def follow(version, *jobs):
    worker.step({"jobs": list(jobs), "version": version, "parameters": {}})
    return worker.confirmed
said = [follow(2), follow(3, "a")]
ended.set()
follow(3, "a")
print(*said, follow(3, "a"))
`;

describe('all promises are kept by', () => {
  it(
    'swarm-worker, a process for each stream, however late that connects',
    async () => {
      const late = `sh -c 'sleep 0.4; exec ${curl} "$SWARM_PARAM_URL"'`;
      const command = `env SWARM_POLL_INTERVAL=200ms '${process.execPath}' '${root}src/worker/main.ts' -- ${late}`;
      expect(verdicts(await check(command, { scheme: 'http' }))).toEqual(allKept);
    },
    minutes,
  );

  it(
    'a program that uses the library',
    async () => {
      const file = path.join(folder, 'worker.ts');
      writeFileSync(
        file,
        `import { once } from 'node:events';
import { connect } from 'node:net';
import { runWorker } from '${root}src/worker/index.ts';
await runWorker({
  pollInterval: '200ms',
  stream: async ({ parameters, signal }) => {
    const source = connect(Number(new URL(parameters.url).port), '127.0.0.1').resume();
    signal.addEventListener('abort', () => source.destroy());
    await once(source, 'close');
  },
});
`,
      );
      expect(verdicts(await check(`'${process.execPath}' '${file}'`))).toEqual(allKept);
    },
    minutes,
  );

  it(
    'samples/workers/python',
    async () => {
      const command = `env PYTHONDONTWRITEBYTECODE=1 python3 '${root}samples/workers/python/worker.py'`;
      expect(verdicts(await check(command))).toEqual(allKept);
    },
    minutes,
  );

  it(
    'samples/workers/go',
    async () => {
      const program = path.join(folder, 'worker');
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
      execFileSync('go', ['build', '-o', program, '.'], {
        cwd: `${root}samples/workers/go`,
        env,
        timeout: minutes,
      });
      expect(verdicts(await check(`'${program}'`))).toEqual(allKept);
    },
    minutes * 2,
  );

  it(
    'samples/workers/go and python where a stream is given back while it still stops',
    () => {
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
      execFileSync('go', ['test', './...'], {
        cwd: `${root}samples/workers/go`,
        env,
        timeout: minutes,
      });
      const python = {
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONPATH: `${root}samples/workers/python`,
        POD_NAME: 'w',
      };
      const said = execFileSync('python3', ['-c', givenBack], {
        env: { ...process.env, ...python },
        timeout: minutes,
      });
      expect(said.toString()).toBe('1 1 3\n');
    },
    minutes * 2,
  );

  it(
    'samples/workers/shell, but for the fence',
    async () => {
      const command = `sh '${root}samples/workers/shell/worker.sh' sh -c 'exec ${curl} "$SWARM_PARAM_URL"'`;
      const judged = await check(command, { scheme: 'http', isExclusive: false, quietMs: 1_000 });
      expect(verdicts(judged)).toEqual({ ...allKept, fence: 'not tried' });
    },
    minutes,
  );
});
