// Do move, cordon and uncordon write where streams may run, or say why not?
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Command } from '../../../../src/cli/arguments/command.ts';
import { cordon, uncordon } from '../../../../src/cli/commands/cordon.ts';
import { move } from '../../../../src/cli/commands/move.ts';
import { FakeCluster, metadata } from '../fake-cluster.ts';
import { said } from '../ran.ts';

const labels = { app: 'w' };
const poolOf = (name: string, more: object = {}, cordoned: readonly number[] = []): object => ({
  metadata: metadata(name),
  spec: {
    workers: { targetRef: { name }, ...(cordoned.length > 0 && { cordoned }) },
    streams: [{ name: 'cars' }, { name: 'cnbc', ordinal: 1 }, { name: 'news', weight: 60 }],
    streamsFrom: [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }],
    ...more,
  },
});
const pools = ['tv', 'out', 'still', 'full', 'many'];
/** The stream `big` at worker 0, and so many others at worker 1, which leave it no room there. */
const beside = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `s${10 + at}`);
const weighted = (name: string, count: number): object =>
  poolOf(name, {
    streams: [
      { name: 'big', weight: 100 },
      ...beside(count).map((stream) => ({ name: stream, weight: 5 })),
    ],
    streamsFrom: [],
  });
const assigned = (name: string, count: number): string => {
  const weights = beside(count).map((stream) => `${stream}: 5`);
  return `workloads: { ${name}-0: { jobs: [big], weights: { big: 100 }, version: 1 }, ${name}-1: { jobs: [${beside(count).join(', ')}], weights: { ${weights.join(', ')} }, version: 1 } }\nversion: 1\n`;
};
const cluster = new FakeCluster({
  swarmpools: [
    poolOf('tv'),
    poolOf('out', {}, [0, 7]),
    poolOf('still', { paused: true }),
    weighted('full', 1),
    weighted('many', 12),
  ],
  statefulsets: pools.map((name) => ({
    metadata: metadata(name),
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels } } },
  })),
  configmaps: [
    ...[['full', 1] as const, ['many', 12] as const].map(([name, count]) => ({
      metadata: metadata(`${name}-assignments`, { labels: { 'k8slab.info/pool': name } }),
      data: { 'config.yml': assigned(name, count) },
    })),
    ...pools.slice(0, 3).map((name) => ({
      metadata: metadata(`${name}-assignments`, { labels: { 'k8slab.info/pool': name } }),
      data: {
        'config.yml': `workloads: { ${name}-0: { jobs: [cars], version: 1 }, ${name}-1: { jobs: [cnbc, news], weights: { news: 60 }, version: 1 } }\nversion: 1\n`,
      },
    })),
    { metadata: metadata('lineup'), data: { 'streams.txt': 'late\n' } },
  ],
});
beforeAll(() => cluster.start());
beforeEach(() => {
  cluster.writes.length = 0;
});
afterAll(() => cluster.stop());

const run = (command: Command, ...args: readonly string[]) =>
  said(cluster.kubeconfig, command, ...args);

describe('move', () => {
  it.each([
    ['tv-1', 'tv', ' is pinned to tv-1, and moves there'],
    ['1', 'tv', ' is pinned to tv-1, and moves there'],
    ['tv-0', 'tv', ' stays on tv-0, and is now pinned to it'],
    ['still-1', 'still', ' is pinned to still-1, and moves there when the pool is resumed'],
  ])('move to %s of %s sets the ordinal of the stream', async (worker, pool, said) => {
    expect(await run(move, pool, 'cars', worker)).toEqual({
      code: 0,
      said: `stream cars of SwarmPool swarm/${pool}${said}\n`,
    });
    const value = Number(worker.slice(-1));
    const body = [
      { op: 'test', path: '/spec/streams/0/name', value: 'cars' },
      { op: 'add', path: '/spec/streams/0/ordinal', value },
    ];
    expect(cluster.writes).toEqual([['PATCH', `swarmpools/${pool}`, body]]);
  });

  it('move says first which other stream moves with it', async () => {
    const { code, said } = await run(move, 'full', 'big', '1');
    expect({ code, lines: said.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        '1 other stream moves with it:',
        'STREAM  FROM    TO      WHY',
        expect.stringMatching(/^s10 {5}full-1 {2}full-0 {2}\S/),
        'stream big of SwarmPool swarm/full is pinned to full-1, and moves there',
      ],
    });
    expect(cluster.writes).toHaveLength(1);
  });

  it('move names the first ten of many other streams, and counts the others', async () => {
    const { said } = await run(move, 'many', 'big', '1');
    const lines = said.trimEnd().split('\n');
    expect(lines[0]).toBe('12 other streams move with it:');
    expect(lines.slice(2, 12).map((line) => line.slice(0, 3))).toEqual(beside(10));
    expect(lines[12]).toBe('and 2 more');
    expect(lines).toHaveLength(14);
  });

  it('move --release removes the ordinal of the stream', async () => {
    expect(await run(move, 'tv', 'cnbc', '--release')).toEqual({
      code: 0,
      said: 'stream cnbc of SwarmPool swarm/tv is no longer pinned; any worker may get it\n',
    });
    const body = [
      { op: 'test', path: '/spec/streams/1/name', value: 'cnbc' },
      { op: 'remove', path: '/spec/streams/1/ordinal' },
    ];
    expect(cluster.writes).toEqual([['PATCH', 'swarmpools/tv', body]]);
  });
});

describe('cordon and uncordon', () => {
  const patch = (cordoned: readonly number[] | null) => ({
    metadata: { uid: expect.any(String), resourceVersion: '1' },
    spec: { workers: { cordoned } },
  });

  it('cordon --force cordons a worker although a stream has no worker then', async () => {
    expect(await run(cordon, 'tv', 'tv-0', '--force')).toEqual({
      code: 0,
      said: 'worker tv-0 of SwarmPool swarm/tv is cordoned; its streams move to other workers\n',
    });
    expect(cluster.writes).toEqual([['PATCH', 'swarmpools/tv', patch([0])]]);
  });

  it.each([
    ['out-0', [7]],
    ['0', [7]],
    ['7', [0]],
  ])('uncordon %s keeps other workers cordoned', async (worker, left) => {
    expect(await run(uncordon, 'out', worker)).toEqual({
      code: 0,
      said: `worker ${worker} of SwarmPool swarm/out is uncordoned; it can get streams again\n`,
    });
    expect(cluster.writes).toEqual([['PATCH', 'swarmpools/out', patch(left)]]);
  });
});

describe('nothing is written, and it is said why', () => {
  it.each<[readonly string[], Command, number, string]>([
    [
      ['tv', 'cnbc', 'tv-1'],
      move,
      0,
      'stream cnbc of SwarmPool swarm/tv is already pinned to tv-1',
    ],
    [['tv', 'cars', '--release'], move, 0, 'stream cars of SwarmPool swarm/tv is not pinned'],
    [['tv', 'late', 'tv-1'], move, 2, 'comes from the ConfigMap key lineup/streams.txt'],
    [['tv', 'casr', 'tv-1'], move, 2, 'SwarmPool tv has no stream casr; did you mean cars?'],
    [
      ['tv', 'cars', 'tv-2'],
      move,
      2,
      'has no worker tv-2; did you mean tv-0?; its workers are tv-0, tv-1',
    ],
    [['tv', 'cars'], move, 2, 'expected either WORKER or --release'],
    [['tv', 'cars', 'tv-1', '--release'], move, 2, 'expected either WORKER or --release'],
    [
      ['out', 'cars', 'out-0'],
      move,
      1,
      'nothing was changed: cars would be left without a worker (PinnedW',
    ],
    [['out', 'out-0'], cordon, 0, 'worker out-0 of SwarmPool swarm/out is already cordoned'],
    [['tv', 'tv-1'], cordon, 1, 'nothing was changed: cnbc'],
    [['tv', 'tv-1'], uncordon, 0, 'worker tv-1 of SwarmPool swarm/tv is not cordoned'],
    [['tv', 'tx-1'], uncordon, 2, 'SwarmPool tv has no worker tx-1; did you mean tv-1?'],
  ])(
    'a command that cannot change anything writes nothing, and says why: %j',
    async (args, wanted, code, said) => {
      const result = await run(wanted, ...args);
      expect(result).toEqual({ code, said: expect.stringContaining(said) });
      expect(cluster.writes).toEqual([]);
    },
  );
});
