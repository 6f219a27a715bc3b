// Does swarmctl tell the truth on a cluster with a running operator, and change only what it says?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusals, specOf } from '../../support/refusals.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';
import { openSession, type Session } from './session.ts';
import type { Told } from './swarmctl.ts';

const namespace = 'cli';
const streams = names(6);
let swarm: Swarm;
let pool: Pool;
let session: Session;
const swarmctl: Session['type'] = (...args) => session.type(...args);

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool(namespace, { streams, workers: 2 });
  await pool.converged(streams, 2);
  session = openSession(swarm.playground.plane.kubeconfig);
});

afterAll(async () => {
  await session?.end();
  await swarm.stop();
});

const inNamespace = (...args: readonly string[]): Promise<Told> =>
  swarmctl(...args, '-n', namespace);

describe('plan', () => {
  it('plan shows no change of a pool at rest', async () => {
    const { code, stdout } = await inNamespace('plan', 'tv');
    expect(stdout).toContain('SwarmPool cli/tv: 6 streams, nothing would change');
    expect(code).toBe(0);
  });

  it('plan predicts what scaling then does, and changes nothing', async () => {
    const before = await pool.published();
    const { code, stdout } = await inNamespace('plan', 'tv', '--workers', '3', '-o', 'json');
    expect(code).toBe(0);
    const plan = JSON.parse(stdout) as { moves: { stream: string; to: string }[] };
    expect(plan.moves).toHaveLength(2);
    expect((await pool.published()).object.metadata.resourceVersion).toBe(
      before.object.metadata.resourceVersion,
    );
    await pool.scale(3);
    await pool.converged(streams, 3);
    const { slices } = await pool.published();
    expect(plan.moves.map(({ stream }) => stream).sort()).toEqual(
      [...(slices.get('worker-2')?.jobs ?? [])].sort(),
    );
  });

  it('plan shows what applying a file would do', async () => {
    const file = {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmPool',
      metadata: { name: 'tv', namespace },
    };
    const spec = {
      streams: [...streams, 'x'].map((name) => ({ name })),
      workers: { selector: { matchLabels: { app: 'worker' } } },
    };
    const { code, stdout } = await swarmctl(
      'plan',
      '-f',
      swarm.file({ ...file, spec }),
      '-o',
      'json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      moves: [{ stream: 'x', why: 'it is new in the list' }],
      stay: 6,
    });
    expect(code).toBe(0);
  });

  it('plan reports a pool that would take the workers of another', async () => {
    const file = {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmPool',
      metadata: { name: 'rival', namespace },
    };
    const spec = { streams: [{ name: 'x' }], workers: { targetRef: { name: 'worker' } } };
    const { code, stdout } = await swarmctl('plan', '-f', swarm.file({ ...file, spec }));
    expect(stdout).toContain('TargetConflict: SwarmPool tv is older');
    expect(code).toBe(1);
  });

  it.each([
    [['plan', 'nobody'], 'there is no SwarmPool nobody in namespace cli'],
    [
      ['plan', 'tv', '--context', 'no'],
      'the kubeconfig has no context "no"; its contexts are playground',
    ],
    [['plan', 'tv', '--remove', 'no'], 'not among the 6 streams'],
  ])('swarmctl refuses %j', async (args, says) => {
    const { code, stderr } = await inNamespace(...args);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});

describe('status', () => {
  it('status shows the workers of a pool, their versions and what they confirmed', async () => {
    const { code, stdout } = await inNamespace('status', 'tv');
    expect(stdout).toMatch(
      /^SwarmPool cli\/tv: version \d, 3 of 3 workers converged, 6 streams, StatefulSet\/worker$/m,
    );
    expect(stdout).toMatch(/^worker-2 +2 +█{10} +(\d) +\1 +Converged$/m);
    expect(code).toBe(0);
  });

  it('status shows a line for each pool', async () => {
    const { stdout } = await swarmctl('status', '-A');
    expect(stdout).toMatch(/^cli +tv +\d +3 +3 +6 +0 +0 +\w+ +Ready$/m);
  });

  it('status --until-ready waits until all pools are Ready', async () => {
    await pool.scale(4);
    await pool.until('has seen it', ({ replicas }) => replicas === 4);
    const { code, stdout } = await inNamespace('status', 'tv', '--watch', '--until-ready');
    expect(stdout).toContain('4 of 4 workers converged');
    expect(code).toBe(0);
  });
});

describe('explain', () => {
  it('explain shows what the worker itself reports of a stream', async () => {
    const { code, stdout } = await inNamespace('explain', 'tv', 's0');
    expect(stdout).toMatch(/^s0: worker-0 \(Confirmed\)$/m);
    expect(stdout).toMatch(/worker-0 confirmed version \d/);
    expect(code).toBe(0);
  });

  it('explain reports a stream that is not in the list', async () => {
    const { code, stdout } = await inNamespace('explain', 'tv', 'nothing');
    expect(stdout).toContain('nothing: no worker (Unlisted)');
    expect(code).toBe(1);
  });
});

describe('history', () => {
  it('history lists every change, the newest first', async () => {
    const { stdout } = await inNamespace('history', 'tv', '-o', 'json');
    const changes = JSON.parse(stdout) as { version: number; reason: string }[];
    expect(changes.at(-1)).toMatchObject({ version: 1, reason: 'FirstPublication' });
    expect(changes.map(({ version }) => version)).toEqual(
      changes.map((_, index) => changes.length - index),
    );
  });
});

describe('pause and resume', () => {
  it('pause holds a change back and shows it, and resume releases it', async () => {
    expect((await inNamespace('pause', 'tv')).stdout).toContain('SwarmPool cli/tv is paused');
    await pool.streams([...streams, 'late']);
    await pool.until('shows its plan', ({ plan }) => plan?.total === 1);
    expect((await inNamespace('plan', 'tv')).stdout).toMatch(
      /^late +- +worker-\d +it is new in the list$/m,
    );
    expect(await inNamespace('status', 'tv')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Paused for \d+s: paused: 1 stream would move$/m),
    });
    expect((await inNamespace('resume', 'tv')).stdout).toContain('SwarmPool cli/tv is resumed');
    await pool.converged([...streams, 'late'], 4);
  });

  it('resume reports that the spec pauses the pool as well', async () => {
    await pool.edit({ paused: true });
    expect(await inNamespace('resume', 'tv')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('spec.paused is true'),
    });
    await pool.edit({ paused: null });
  });
});

describe('validate', () => {
  const poolOf = (spec: object, name: string): object => ({
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata: { name, namespace },
    spec,
  });
  type Found = { readonly message: string; readonly field: string };

  it('validate refuses the same with --server and without, and creates nothing', async () => {
    const good = poolOf(specOf('x', {}), 'good');
    const items = [
      good,
      ...refusals.map(([, spec], index) => poolOf(specOf('nobody', spec), `bad-${index}`)),
    ];
    const file = swarm.file({ apiVersion: 'v1', kind: 'List', items });
    const byServer = await swarmctl('validate', file, '--server', '-o', 'json');
    expect(byServer.stderr).toBe('');
    const found = JSON.parse(byServer.stdout) as Found[];
    const said = found.map(({ message }) => message).join('\n');
    const unsaid = refusals.filter(([, , message]) => !said.includes(message));
    expect(unsaid.map(([title]) => title)).toEqual([]);
    expect(found).toHaveLength(refusals.length);
    expect(byServer.code).toBe(1);
    const present = swarm.file(poolOf(specOf('worker', { streams: [{ name: 'other' }] }), 'tv'));
    expect(await swarmctl('validate', present, '--server')).toMatchObject({
      code: 0,
      stdout: '1 SwarmPool, no errors\n',
    });
    const one = swarm.file(good);
    expect(await swarmctl('validate', one, '--server')).toMatchObject({ code: 0 });
    expect(await swarmctl('validate', one)).toMatchObject({ code: 0 });
    expect(await swarm.kubectl('-n', namespace, 'get', 'swarmpools', '-o', 'name')).toBe(
      'swarmpool.k8slab.info/tv\n',
    );
  });
});

describe('top', () => {
  it('top lists the workers that carry the most first', async () => {
    const { stdout } = await swarmctl('top', '-A', '-o', 'json');
    const counts = (JSON.parse(stdout) as { streams: number }[]).map(({ streams: count }) => count);
    expect(counts).toHaveLength(4);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });
});

describe('logs', () => {
  it('logs prints the lines about the stream, from the worker that has it', async () => {
    const { slices } = await pool.published();
    const [worker, slice] = [...slices].find(([, { jobs }]) => jobs.length > 1) ?? [];
    const [stream = '', other = ''] = slice?.jobs ?? [];
    const { code, stdout } = await inNamespace('logs', 'tv', stream);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith(`[${stream}] `)),
    ).toEqual([expect.stringMatching(new RegExp(`^\\S+ info started stream=${stream} pid=\\d+$`))]);
    const all = await inNamespace('logs', 'tv', stream, '--all');
    expect(all.stdout).toContain(`[${other}] `);
    expect(all.stdout).toBe(await swarm.kubectl('-n', namespace, 'logs', worker ?? ''));
  });

  it('logs reports a stream without a worker', async () => {
    expect(await inNamespace('logs', 'tv', 'nothing')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no worker of SwarmPool tv has'),
    });
  });
});
