// Do suspend, resume and restart change just the streams that they name, or say why not?
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from '../../../../src/cli/arguments/command.ts';
import { resume } from '../../../../src/cli/commands/pause.ts';
import { rerun, restart } from '../../../../src/cli/commands/restart.ts';
import { suspend } from '../../../../src/cli/commands/suspend.ts';
import { FakeCluster, metadata } from '../fake-cluster.ts';
import { said } from '../ran.ts';

const labels = { app: 'w' };
const old = 'gone t0\ncnbc t1\ncars t2';
const poolOf = (name: string, more: object = {}, annotations: object = {}): object => ({
  metadata: metadata(name, { annotations }),
  spec: {
    workers: { targetRef: { name } },
    streams: [
      { name: 'cars' },
      { name: 'cnbc', suspend: true },
      { name: 'far', ordinal: 9 },
      { name: 'dump' },
    ],
    streamPolicy: { completion: 'Once' },
    streamsFrom: [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }],
    ...more,
  },
});
const published = (pool: string): object => ({
  metadata: metadata(`${pool}-assignments`, { labels: { 'k8slab.info/pool': pool } }),
  data: {
    'config.yml': `workloads: { ${pool}-0: { jobs: [cars, news], suspended: [cnbc], version: 1 } }\ncompleted: { dump: '' }\nversion: 1\n`,
  },
});
const workers = (pool: string): object => ({
  metadata: metadata(pool),
  spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels } } },
});
const cluster = new FakeCluster({
  swarmpools: [
    poolOf('tv', {}, { 'k8slab.info/restart': old }),
    poolOf('still', { paused: true }),
    poolOf('replacing', { refresh: { mode: 'Restart' } }),
    poolOf('nightly', { streamPolicy: { completion: 'Once' } }),
  ],
  statefulsets: ['tv', 'still', 'replacing', 'nightly'].map(workers),
  configmaps: [
    ...['tv', 'still', 'replacing'].map(published),
    {
      metadata: metadata('nightly-assignments', { labels: { 'k8slab.info/pool': 'nightly' } }),
      data: {
        'config.yml': `workloads: { nightly-0: { jobs: [news], version: 1 } }\ncompleted: { cars: '' }\nversion: 1\n`,
      },
    },
    { metadata: metadata('lineup'), data: { 'streams.txt': 'news\n' } },
  ],
});
beforeAll(() => cluster.start());
beforeEach(() => {
  cluster.writes.length = 0;
});
afterAll(() => cluster.stop());

const run = (command: Command, ...args: readonly string[]) =>
  said(cluster.kubeconfig, command, ...args);

describe('suspend', () => {
  it('suspend changes the stream of this name, and no other at its index', async () => {
    const { code, said } = await run(suspend, 'tv', 'far', 'cars');
    expect({ code, said }).toEqual({
      code: 0,
      said: 'stream far of SwarmPool swarm/tv is suspended, and keeps its worker\nstream cars of SwarmPool swarm/tv is suspended, and keeps its worker\n',
    });
    const body = [
      { op: 'test', path: '/spec/streams/2/name', value: 'far' },
      { op: 'add', path: '/spec/streams/2/suspend', value: true },
      { op: 'test', path: '/spec/streams/0/name', value: 'cars' },
      { op: 'add', path: '/spec/streams/0/suspend', value: true },
    ];
    expect(cluster.writes).toEqual([['PATCH', 'swarmpools/tv', body]]);
  });

  it('suspend says of a suspended stream that it is suspended, and writes nothing', async () => {
    expect(await run(suspend, 'swarmpool/tv', 'cnbc')).toEqual({
      code: 0,
      said: 'stream cnbc of SwarmPool swarm/tv is already suspended\n',
    });
    expect(cluster.writes).toEqual([]);
  });

  it.each([
    [['tv', 'news'], 'comes from the ConfigMap key lineup/streams.txt (spec.streamsFrom); change'],
    [['tv', 'casr'], 'SwarmPool tv has no stream casr; did you mean cars?'],
    [['tv', 'newz'], 'SwarmPool tv has no stream newz; did you mean news?'],
    [['tv', 'cars', 'casr'], 'SwarmPool tv has no stream casr'],
    [['tvv', 'cars'], 'no SwarmPool tvv in namespace swarm; did you mean tv?'],
    [['tv'], 'POOL STREAM... is missing'],
  ])('suspend refuses %j', async (args, why) => {
    const { code, said } = await run(suspend, ...args);
    expect(said).toContain(why);
    expect(code).toBe(2);
    expect(cluster.writes).toEqual([]);
  });
});

describe('resume', () => {
  it('resume takes the suspension away', async () => {
    expect(await run(resume, 'tv', 'cnbc', 'cars')).toEqual({
      code: 0,
      said: 'stream cnbc of SwarmPool swarm/tv is no longer suspended\nstream cars of SwarmPool swarm/tv is not suspended\n',
    });
    const body = [
      { op: 'test', path: '/spec/streams/1/name', value: 'cnbc' },
      { op: 'remove', path: '/spec/streams/1/suspend' },
    ];
    expect(cluster.writes).toEqual([['PATCH', 'swarmpools/tv', body]]);
  });

  it('resume of a pool ends its pause', async () => {
    expect((await run(resume, 'tv')).said).toBe('SwarmPool swarm/tv is resumed\n');
  });
});

describe('restart', () => {
  it('restart annotates the pool with its request, and keeps other requests', async () => {
    const { code, said } = await run(restart, 'tv', 'cars', 'news');
    expect({ code, said }).toEqual({
      code: 0,
      said: 'stream cars of SwarmPool swarm/tv restarts on tv-0\nstream news of SwarmPool swarm/tv restarts on tv-0\n',
    });
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
    const text = expect.stringMatching(new RegExp(`^cnbc t1\ncars ${time}\nnews ${time}$`));
    const annotations = { 'k8slab.info/restart': text };
    const body = { metadata: { uid: 'tv', resourceVersion: '1', annotations } };
    expect(cluster.writes).toEqual([['PATCH', 'swarmpools/tv', body]]);
  });

  it.each([
    ['still', ' when the pool is resumed'],
    ['replacing', ', with all streams of its pod, which the operator replaces'],
  ])('restart says when the stream restarts in the pool %s', async (pool, what) => {
    expect((await run(restart, pool, 'cars')).said).toContain(`restarts on ${pool}-0${what}\n`);
  });

  it.each([
    [['tv', 'cnbc'], 1, 'stream cnbc is suspended; `swarmctl resume tv cnbc` starts it'],
    [['tv', 'cars', 'far'], 1, 'stream far has no worker: '],
    [['tv', 'newz'], 2, 'SwarmPool tv has no stream newz; did you mean news?'],
    [['tvv', 'cars'], 2, 'no SwarmPool tvv in namespace swarm; did you mean tv?'],
  ])('restart refuses %j', async (args, exit, why) => {
    const { code, said } = await run(restart, ...args);
    expect(said).toContain(why);
    expect(code).toBe(exit);
    expect(cluster.writes).toEqual([]);
  });
});

describe('rerun', () => {
  it('rerun asks for completed work to run once more', async () => {
    const { code, said } = await run(rerun, 'nightly', 'cars');
    expect({ code, said }).toEqual({
      code: 0,
      said: 'stream cars of SwarmPool swarm/nightly runs again\n',
    });
    const [[, , body] = []] = cluster.writes;
    expect(body).toMatchObject({
      metadata: { annotations: { 'k8slab.info/restart': expect.stringMatching(/^cars 20\S+Z$/) } },
    });
  });

  it.each([
    [rerun, 'news', 'stream news has not completed; it is Down\n'],
    [restart, 'cars', 'stream cars has completed; `swarmctl rerun nightly cars` runs it again\n'],
  ])(
    'rerun refuses streams that are not completed, and restart those that are: %#',
    async (command, stream, said) => {
      expect(await run(command, 'nightly', stream)).toMatchObject({
        code: 1,
        said: expect.stringContaining(said),
      });
      expect(cluster.writes).toEqual([]);
    },
  );
});
