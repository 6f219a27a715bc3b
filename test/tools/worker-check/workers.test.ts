// Workers of the documentation keep their promises: swarm-worker, the library, the sample for a
// shell (those in Python and Go: test/peers). None starts with `exec`: as the documentation has it,
// the shell stays.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type OnProgress, promises } from '../../../src/conformance/promises.ts';
import { check, verdicts } from './check.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-workers-'));
const allKept = Object.fromEntries(promises.map(({ id }) => [id, 'kept']));
const curl = 'curl -sN';
const untried = { fence: 'not tried', tells: 'not tried', token: 'not tried' };

afterAll(() => rmSync(folder, { recursive: true }));

describe('all promises are kept by', () => {
  it('swarm-worker keeps all promises, with a process for each stream that connects late', async () => {
    const late = `sh -c 'sleep 0.4; exec ${curl} "$SWARM_PARAM_URL"'`;
    const command = `env SWARM_POLL_INTERVAL=200ms '${process.execPath}' '${root}src/worker/main.ts' -- ${late}`;
    expect(verdicts(await check(command, { scheme: 'http' }))).toEqual(allKept);
  });

  it('a program that uses the library keeps all promises', async () => {
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
    const tried = new Set<string>();
    const onProgress: OnProgress = ({ id }) => void tried.add(id);
    const judged = await check(`'${process.execPath}' '${file}'`, { onProgress });
    expect(verdicts(judged)).toEqual(allKept);
    // The trial of each promise was reported when it began.
    expect([...tried].sort()).toEqual(promises.map(({ id }) => id).sort());
  });

  it('samples/workers/shell keeps all promises but the fence, tokens and states of streams', async () => {
    const command = `sh '${root}samples/workers/shell/worker.sh' sh -c 'exec ${curl} "$SWARM_PARAM_URL"'`;
    const judged = await check(command, { scheme: 'http', isExclusive: false, quietMs: 1_000 });
    expect(verdicts(judged)).toEqual({ ...allKept, ...untried });
  });
});
