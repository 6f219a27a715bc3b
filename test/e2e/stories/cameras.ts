// Does a pool say it when the source of an ffmpeg is switched off, and when it is back? With
// Debian's ffmpeg, and meanwhile other stories go on.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { asString, dig } from '../../../src/api/objects.ts';
import type { SwarmPoolStatus } from '../../../src/api/validate.ts';
import { swarmctlOn } from '../../integration/cli/swarmctl.ts';
import { Overlays } from '../../integration/deploy/overlays.ts';
import type { Pool } from '../../integration/support/pool.ts';
import { podFields } from '../../integration/support/shape.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { addressOf, type World } from '../world.ts';

/** Of the pool. */
const namespace = 'recorders';
/** Of what it reads. */
const there = 'cameras';
const streams = ['door', 'garage', 'gate'] as const;
const WORKERS = 2;
const PORT = 8_000;
const PASSWORD = 'hunter2-of-the-yard';
/** Of ffmpeg: it runs so long until it counts as well again. */
const WELL_AFTER_SECONDS = 60;

/** Silence without an end, at the pace of its clock. */
const camera = `
  const { createServer } = process.getBuiltinModule('node:http');
  createServer((_, response) => {
    response.writeHead(200);
    const beat = setInterval(() => response.write(Buffer.alloc(1600)), 100);
    response.on('close', () => clearInterval(beat));
  }).listen(${PORT});
  process.on('SIGTERM', () => process.exit(0));
`;

type Story = {
  /** Resolves when the pool has said that the camera is off, and all that it says was looked at. */
  readonly off: Promise<void>;
  readonly on: Promise<void>;
};

export function cameras(world: () => World): {
  readonly begin: () => void;
  readonly end: () => void;
} {
  let story: Story | undefined;
  return {
    begin: () => {
      it('each camera is read by one ffmpeg, and no stream fails while all are on', async () => {
        const scene = await Scene.set(world());
        const off = scene.switchOff();
        const on = off.then(() => scene.switchOn());
        // Those that await it report its failure.
        on.catch(() => undefined);
        story = { off, on };
      });
    },
    end: () => {
      it('a pool says which camera was switched off, since when and why, and stays Ready', async () => {
        expect(story).toBeDefined();
        await story?.off;
      });

      it('a pool is healthy a minute after the camera is on again, and no stream has moved', async () => {
        await story?.on;
        await world().kubectl('delete', 'namespace', namespace, there, '--wait=false');
      });
    },
  };
}

class Scene {
  readonly #world: World;
  readonly #pool: Pool;
  readonly #version: number | undefined;

  private constructor(world: World, pool: Pool, version: number | undefined) {
    this.#world = world;
    this.#pool = pool;
    this.#version = version;
  }

  static async set(world: World): Promise<Scene> {
    const overlays = new Overlays({
      kubectl: (...args) => world.kubectl(...args),
      playground: world.cluster,
    });
    const objects = [namespaceObject, ...streams.flatMap(cameraObjects)];
    await world.kubectl('apply', '-f', overlays.file('cameras.yaml', objects));
    overlays.remove();
    for (const name of streams)
      await world.kubectl('-n', there, 'rollout', 'status', `deployment/${name}`);
    const urls = await Promise.all(
      streams.map(async (it) => [it, await urlOf(world, it)] as const),
    );
    const pool = await world.pool(namespace, {
      streams,
      workers: WORKERS,
      worker: reader(),
      volumes: [debian],
      spec: { streams: urls.map(([name, url]) => ({ name, parameters: { url } })) },
    });
    const { version } = await pool.converged(streams, WORKERS, 120);
    await pool.until('is well', isWell, 60);
    return new Scene(world, pool, version);
  }

  async switchOff(): Promise<void> {
    const start = performance.now();
    await this.#turn(0);
    // It asks the workers itself.
    await eventually('swarmctl says who fails', async () =>
      /^garage /m.test(await this.#failing()),
    );
    note({ name: 'an ffmpeg’s camera is switched off: swarmctl says so', value: since(start) });
    const status = await this.#pool.until(
      'says who fails',
      ({ failing = [] }) => failing.length > 0,
    );
    note({
      name: 'StreamsHealthy is False, FAILING is 1',
      value: since(start),
      note: status.failing?.[0]?.message ?? '',
    });
    expect(status.streams).toMatchObject({ total: streams.length, failing: 1 });
    expect(status.failing).toMatchObject([{ name: 'garage', state: 'Restarting' }]);
    expect(status.failing?.[0]?.message).toMatch(/^exit code \d+/);
    expect(JSON.stringify(status)).not.toContain(PASSWORD);
    expect(await this.#pool.condition('StreamsHealthy')).toMatchObject({ status: 'False' });
    expect(await this.#pool.condition('Ready')).toMatchObject({ status: 'True' });
    const told = await this.#failing();
    expect(told).toMatch(/^garage +worker-\d +Restarting .*exit code 1: …: Connection refused$/m);
    expect(told).not.toMatch(/^(door|gate) /m);
    expect(await this.#failingByMetrics()).toBe(1);
  }

  async switchOn(): Promise<void> {
    const start = performance.now();
    await this.#turn(1);
    const status = await this.#pool.until('is well again', isWell);
    note({ name: 'it is on again: StreamsHealthy is True', value: since(start) });
    expect(secondsSince(start)).toBeGreaterThan(WELL_AFTER_SECONDS);
    expect(status.streams?.failing).toBe(0);
    expect(status.version).toBe(this.#version);
    expect(await this.#failingByMetrics()).toBe(0);
    const reasons = (await this.#pool.events()).map(({ reason }) => reason);
    expect(reasons.filter((it) => it.startsWith('Streams')).sort()).toEqual([
      'StreamsFailing',
      'StreamsRecovered',
    ]);
  }

  async #failing(): Promise<string> {
    const swarmctl = swarmctlOn(this.#world.cluster.plane.kubeconfig);
    const { stdout } = await swarmctl('streams', 'tv', '--failing', '--namespace', namespace);
    return stdout;
  }

  async #turn(replicas: number): Promise<void> {
    const scale = ['scale', 'deployment/garage', `--replicas=${replicas}`];
    await this.#world.kubectl('-n', there, ...scale);
  }

  /** What the alert SwarmPoolStreamsFailing compares with 0. */
  async #failingByMetrics(): Promise<number> {
    const address = addressOf(await this.#world.leadingPod());
    const text = await (await fetch(`http://${address}:8080/metrics`)).text();
    const line = text
      .split('\n')
      .find((it) => it.startsWith('swarm_pool_streams_failing{') && it.includes(`"${namespace}"`));
    return Number(line?.split(' ').at(-1));
  }
}

const since = (start: number): string => seconds(secondsSince(start));

const isWell = ({ conditions = [], failing = [] }: SwarmPoolStatus): boolean =>
  failing.length === 0 &&
  conditions.some(({ type, status }) => type === 'StreamsHealthy' && status === 'True');

const namespaceObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: there } };

function cameraObjects(name: string): readonly object[] {
  const metadata = { name, namespace: there };
  const labels = { camera: name };
  const container = {
    name: 'camera',
    image: 'swarm-worker:dev',
    command: ['node', '--eval', camera],
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
  };
  const template = {
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 1, containers: [container] },
  };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port: PORT }] },
    },
  ];
}

/** By its Service's address: these clusters have no DNS. */
async function urlOf(world: World, name: string): Promise<string> {
  const service = JSON.parse(
    await world.kubectl('-n', there, 'get', `service/${name}`, '-o', 'json'),
  ) as unknown;
  const address = asString(dig(service, 'spec', 'clusterIP')) ?? '';
  return `http://viewer:${PASSWORD}@${address}:${PORT}/${name}`;
}

const folder = process.env['SWARM_E2E_FFMPEG'] ?? '';
const debian = { name: 'debian', hostPath: { path: folder, type: 'Directory' } };

/** The image has no ffmpeg: Debian's is mounted, with its libraries. */
function reader(): object {
  const libraries = path.join(folder, 'usr/lib');
  const triple = readdirSync(libraries).find((name) => name.endsWith('-linux-gnu')) ?? '';
  const found = ['usr/lib', 'lib'].flatMap((place) =>
    ['', 'blas', 'lapack', 'pulseaudio'].map((it) => path.join('/debian', place, triple, it)),
  );
  const input = ['-f', 's16le', '-ar', '8000', '-ac', '1', '-i', '{param.url}'];
  return {
    args: [
      '--',
      '/debian/usr/bin/ffmpeg',
      '-nostdin',
      '-loglevel',
      'error',
      ...input,
      '-f',
      'null',
      '-',
    ],
    env: [...podFields, { name: 'LD_LIBRARY_PATH', value: found.join(':') }],
    volumeMounts: [
      { name: 'assignments', mountPath: '/app/config' },
      { name: 'debian', mountPath: '/debian', readOnly: true },
    ],
  };
}
