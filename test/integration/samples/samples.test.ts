// Do the samples with real work do what their READMEs say? On a local Kubernetes, by what their
// pods print.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultImages } from '../../../src/playground/node/images.ts';
import { eventually } from '../../support/processes.ts';
import { swarmctlOn } from '../cli/swarmctl.ts';
import type { Pool } from '../support/pool.ts';
import { Swarm } from '../support/swarm.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const work = mkdtempSync(path.join(tmpdir(), 'swarm-samples-'));
let swarm: Swarm;

beforeAll(async () => {
  writeFileSync(
    path.join(work, 'worker.ts'),
    `import { once } from 'node:events';
import { runWorker } from '${root}src/worker/index.ts';
await runWorker({
  stream: async ({ name, signal }) => {
    console.log('consuming ' + name);
    await once(signal, 'abort');
  },
});
`,
  );
  const images = {
    ...defaultImages,
    'my-worker': { command: [process.execPath, path.join(work, 'worker.ts')] },
  };
  swarm = await Swarm.start({ node: { images } });
  await swarm.operator('--leader-election', 'false');
});

afterAll(async () => {
  await swarm?.stop();
  rmSync(work, { recursive: true });
});

const kubectl = (...args: readonly string[]): Promise<string> =>
  swarm.kubectl('-n', 'swarm', ...args);
const logsOf = (app: string): Promise<string> =>
  kubectl('logs', '-l', `app=${app}`, '-c', 'worker', '--prefix', '--tail=-1');

async function apply(sample: string, pool: string): Promise<void> {
  // Strict: a field that the API server does not know is an error.
  await swarm.kubectl('apply', '-k', `${root}samples/${sample}`, '--validate=strict');
  await kubectl('wait', '--for=condition=Converged', `swarmpool/${pool}`, '--timeout=120s');
}

/** The pods that print a line of this kind for a stream. */
async function whoPrints(app: string, stream: string, line: string): Promise<readonly string[]> {
  const found = (await logsOf(app)).matchAll(
    new RegExp(`^\\[pod/(\\S+)/worker] \\[${stream}] ${line}$`, 'gm'),
  );
  return [...new Set([...found].map(([, pod = '']) => pod))];
}

describe('samples/tail', () => {
  it('samples/tail prints every file as it grows, each by one worker', async () => {
    await apply('tail', 'tail');
    for (const log of ['door', 'lift', 'gate']) {
      await eventually(
        `the third line of ${log}`,
        async () => (await whoPrints('tail', `log:${log}`, `${log} 3`)).length > 0,
      );
      expect(await whoPrints('tail', `log:${log}`, `${log} \\d+`)).toHaveLength(1);
    }
  });
});

describe('samples/reader', () => {
  it('samples/reader reads every camera once, and continues when the source was away', async () => {
    await swarm.kubectl('apply', '-k', `${root}samples/reader`, '--validate=strict');
    await kubectl('wait', '--for=condition=Available', 'deployment/source', '--timeout=120s');
    // There is no DNS here: the address replaces the Service's name.
    const host = await kubectl(
      'get',
      'pods',
      '-l',
      'app=source',
      '-o',
      'jsonpath={.items[0].status.podIP}',
    );
    const cameras = ['yard', 'hall', 'roof'].map((name) => ({
      name: `camera:${name}`,
      weight: 40,
      parameters: { host, port: '8554' },
    }));
    await kubectl(
      'patch',
      'swarmpool/cameras',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { streams: cameras } }),
    );
    await kubectl('wait', '--for=condition=Converged', 'swarmpool/cameras', '--timeout=120s');
    for (const { name } of cameras) {
      await eventually(
        `frames of ${name}`,
        async () => (await whoPrints('reader', name, '(?:9|1\\d) frames')).length === 1,
      );
    }
    const source = (): Promise<string> => kubectl('logs', '-l', 'app=source', '--tail=-1');
    expect(await source()).not.toContain('by 2');
    const [pod] =
      swarm.playground.nodes[0]?.pods.filter(({ name }) => name.startsWith('source-')) ?? [];
    for (const pid of pod?.pids ?? []) process.kill(pid, 'SIGKILL');
    await eventually('a reader restarts', async () =>
      /ended with code 1, restarting in/.test(await logsOf('reader')),
    );
    const readNow = async (): Promise<ReadonlySet<string>> =>
      new Set((await source()).match(/^.* is read by 1$/gm));
    await eventually('the source is read again', async () => (await readNow()).size === 3);
  });
});

describe('samples/dump', () => {
  const isDumped = (night: string) => async (): Promise<boolean> => {
    const rows = [
      ['orders', 3000],
      ['users', 500],
      ['events', 10000],
    ] as const;
    const done = await Promise.all(
      rows.map(([name, count]) =>
        whoPrints('dump', `${name}@${night}`, `/backup/${name}-${night}.db: ${count} rows, ok`),
      ),
    );
    return done.every((pods) => pods.length === 1);
  };

  it('samples/dump dumps every database once, and again the next night', async () => {
    await apply('dump', 'nightly');
    await eventually('all are dumped', isDumped('2026-01-31'));
    const complete = ['wait', '--for=condition=Complete', 'swarmpool/nightly', '--timeout=60s'];
    await kubectl(...complete);
    // Its pod is replaced, and makes no dump again.
    await kubectl('delete', 'pod', 'dump-0');
    await kubectl('rollout', 'status', 'statefulset/dump', '--timeout=120s');
    await kubectl('wait', '--for=condition=Converged', 'swarmpool/nightly', '--timeout=60s');
    const status = ['get', 'swarmpool/nightly', '-o', 'jsonpath={.status.streams}'];
    expect(JSON.parse(await kubectl(...status))).toMatchObject({ total: 3, completed: 3 });
    expect(await kubectl('logs', 'dump-0', '-c', 'worker')).not.toContain('2026-01-31');
    const streams = path.join(work, 'streams.txt');
    writeFileSync(streams, 'orders@2026-02-01\nusers@2026-02-01\nevents@2026-02-01\n');
    const tonight = path.join(work, 'tonight.yaml');
    writeFileSync(
      tonight,
      await kubectl(
        'create',
        'configmap',
        'tonight',
        `--from-file=${streams}`,
        '--dry-run=client',
        '-o',
        'yaml',
      ),
    );
    await kubectl('apply', '-f', tonight);
    await eventually('all are dumped again', isDumped('2026-02-01'));
    await kubectl(...complete);
  });

  it('samples/dump refuses a stream name with a path', async () => {
    await kubectl(
      'patch',
      'configmap/tonight',
      '--type=merge',
      '-p',
      JSON.stringify({ data: { 'streams.txt': '../../etc/passwd@2026-02-01\n' } }),
    );
    await eventually('the worker refuses it', async () =>
      /passwd@2026-02-01\\?" is not DATABASE@NIGHT/.test(await logsOf('dump')),
    );
    await kubectl('wait', '--for=condition=Complete', 'swarmpool/nightly', '--timeout=120s');
    const pool = JSON.parse(await kubectl('get', 'swarmpool/nightly', '-o', 'json'));
    expect(pool.status.streams).toMatchObject({ total: 1, failing: 1, completed: 0 });
    expect(pool.status.failing).toMatchObject([
      { name: '../../etc/passwd@2026-02-01', state: 'Failed', restarts: 3 },
    ]);
    expect(pool.status.failing[0].message).toMatch(/exit code 1/);
  });
});

describe('a worker with the library, in a pod', () => {
  let pool: Pool;

  it('a worker with the library converges in a pod, and follows changes', async () => {
    pool = await swarm.pool('library', {
      streams: ['a', 'b', 'c'],
      workers: 2,
      worker: { image: 'my-worker:1' },
    });
    await pool.converged(['a', 'b', 'c'], 2);
    await pool.streams(['a', 'b', 'd', 'e']);
    await pool.converged(['a', 'b', 'd', 'e'], 2);
    const logs = (): Promise<string> =>
      swarm.kubectl('-n', 'library', 'logs', '-l', 'app=worker', '--tail=-1');
    await eventually('the new stream runs', async () => /^consuming e$/m.test(await logs()));
  });

  it('swarmctl worker-check recognises a worker with the library', async () => {
    const swarmctl = swarmctlOn(swarm.playground.plane.kubeconfig);
    const look = async (
      target: string,
      ...flags: readonly string[]
    ): Promise<{ status: number; text: string }> => {
      const { code, stdout, stderr } = await swarmctl('worker-check', target, ...flags);
      return { status: code, text: stdout + stderr };
    };
    const seen = await look('library/worker-0');
    expect(seen.status).toBe(0);
    for (const number of [1, 2, 3, 4, 5])
      expect(seen.text).toMatch(new RegExp(`^kept +${number} `, 'm'));
    expect(seen.text).toMatch(/^not tried 16 .*: not testable from outside; use --run$/m);
    expect((await look('worker-1', '-n', 'library')).status).toBe(0);
    expect(await look('worker-0', '-n', 'library', '--port', '9999')).toMatchObject({
      status: 1,
      text: expect.stringContaining('broken     1'),
    });
    expect(await look('library/nobody')).toMatchObject({
      status: 2,
      text: expect.stringContaining('not found'),
    });
  });
});
