// Does a pool converge whose pods have IPv6 addresses, alone or first of two families? No node of
// the playground gives such addresses: the test runs the workers, and writes their pods' status.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { listen } from '../../../../src/http/bounded-server.ts';
import { eventually } from '../../../support/processes.ts';
import { Swarm } from '../../support/swarm.ts';
import { Worker } from '../../worker/worker.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1');
const ifIPv6 = hasIPv6 ? describe : describe.skip;

let swarm: Swarm;
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-ipv6-'));
const workers: Worker[] = [];
const servers: ChildProcess[] = [];

beforeAll(async () => {
  // Without a node, the test alone writes the status of pods.
  swarm = await Swarm.start({ nodes: 0 });
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end()));
  for (const server of servers) server.kill('SIGTERM');
  await Promise.all(servers.map((server) => once(server, 'exit')));
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

/** Our worker on all addresses; returns the port that it took. */
async function startWorker(namespace: string, pod: KubeObject): Promise<number> {
  const worker = new Worker(['--config-file', path.join(folder, namespace), '--', 'sleep', '600'], {
    POD_NAME: pod.metadata.name,
    POD_UID: pod.metadata.uid ?? '',
    POD_IP: '',
    SWARM_POLL_INTERVAL: '100ms',
  });
  workers.push(worker);
  const [, port = ''] = await worker.prints(/serving .*port=(\d+)/);
  return Number(port);
}

async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer(), 0, '::1');
  await close();
  return port;
}

async function waitFor(namespace: string, name: string): Promise<KubeObject> {
  let found: KubeObject | undefined;
  await eventually(`${namespace}/${name} exists`, async () => {
    const { items } = await swarm.api.list(kinds.Pod, namespace);
    found = items.find(({ metadata }) => metadata.name === name);
    return found !== undefined;
  });
  if (found === undefined) throw new Error('no pod');
  return found;
}

async function makeReady(pod: KubeObject, ips: readonly string[]): Promise<void> {
  const { namespace = '', name } = pod.metadata;
  const status = {
    phase: 'Running',
    podIP: ips[0],
    podIPs: ips.map((ip) => ({ ip })),
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await swarm.api.patch(
    kinds.Pod,
    { namespace, name },
    { type: 'merge', body: { status } },
    'status',
  );
}

/** What a kubelet does with a mounted ConfigMap. */
async function mount(namespace: string): Promise<void> {
  const { items } = await swarm.api.list(kinds.ConfigMap, namespace);
  const found = items.find(({ metadata }) => metadata.name === 'tv-assignments');
  const text = asString(dig(found, 'data', 'config.yml'));
  if (text === undefined) return;
  const file = path.join(folder, namespace);
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

ifIPv6('on a machine with IPv6', () => {
  it('the servers of the operator answer on both families when they listen on ::', async () => {
    const operator = await swarm.operator('--leader-election', 'false', '--bind-address', '::');
    for (const host of ['[::1]', '127.0.0.1']) {
      const ready = await fetch(`http://${host}:${operator.healthPort}/readyz`);
      const metrics = await fetch(`http://${host}:${operator.metricsPort}/metrics`);
      expect([host, ready.status, metrics.status]).toEqual([host, 200, 200]);
    }
  });

  it.each([
    ['six', ['::1']],
    ['six-first', ['::1', '127.0.0.1']],
    ['four-first', ['127.0.0.1', '::1']],
  ])('a pool whose pod has the addresses of "%s" converges', async (namespace, ips) => {
    const pool = await swarm.pool(namespace, { streams: ['a', 'b'], workers: 1 });
    const pod = await waitFor(namespace, 'worker-0');
    const port = await startWorker(namespace, pod);
    const body = { spec: { probe: { httpGet: { port } } } };
    const ref = { namespace, name: 'tv' };
    await swarm.api.patch(kinds.SwarmPool, ref, { type: 'merge', body });
    await makeReady(pod, ips);
    await pool.until('converges', async (status) => {
      await mount(namespace);
      return status.conditions?.some((it) => it.type === 'Ready' && it.status === 'True') ?? false;
    });
    const told = await (await fetch(`http://[::1]:${port}/internal/version`)).json();
    expect(told).toMatchObject({ jobs: ['a', 'b'], podUid: pod.metadata.uid });
  });

  it('the sample worker for a shell binds a POD_IP of IPv6', async () => {
    const port = await freePort();
    const args = [`${root}samples/workers/shell/worker.sh`, 'sleep', '600'];
    const server = spawn('sh', args, {
      env: { ...process.env, POD_NAME: 'w', POD_IP: '::1', SWARM_PORT: String(port) },
      stdio: 'ignore',
    });
    servers.push(server);
    await eventually('it answers', async () => {
      const answer = await fetch(`http://[::1]:${port}/internal/version`).catch(() => undefined);
      return answer?.status === 200;
    });
  });
});
