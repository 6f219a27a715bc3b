// How does the operator's cost grow? From ten pools to ten thousand, and from a hundred streams to
// the most that a pool may have.
import { type PoolsCost, poolsCosts } from './growth/pools.ts';
import { type Cost, costOf, STREAMS } from './growth/streams.ts';
import type { Measured } from './instruments/measure.ts';
import { draw } from './plot/file.ts';
import type { Plot } from './plot/svg.ts';

const MIB = 1024 * 1024;

export function benchGrowthOfStreams(): readonly Measured[] {
  // A warm-up, so that the first measurement does not include compilation.
  costOf(10_000);
  const costs = STREAMS.map(costOf);
  drawStreams(costs);
  return costs.map(streamsRow);
}

export async function benchGrowthOfPools(most: number): Promise<readonly Measured[]> {
  const costs = await poolsCosts(most);
  drawPools(costs);
  return costs.map(poolsRow);
}

const streamsRow = (cost: Cost): Measured => ({
  name: `growth: one pool of ${cost.streams.toLocaleString('en')} streams x ${cost.workers} workers`,
  value: `at rest decided in ${cost.restMs.toFixed(1)} ms (${cost.failingMs.toFixed(1)} ms while one stream in a hundred fails), one stream edited ${cost.editMs.toFixed(0)} ms, all new ${cost.firstMs.toFixed(0)} ms`,
  note: `${(cost.publishedBytes / MIB).toFixed(2)} MiB in ${cost.shards} ConfigMaps; an edit writes ${Math.round(cost.editBytes / 1024)} KiB; ${cost.heapMiB.toFixed(0)} MiB of heap`,
});

const poolsRow = (cost: PoolsCost): Measured => ({
  name: `growth: ${cost.pools.toLocaleString('en')} pools, ${cost.pods.toLocaleString('en')} pods`,
  value: `synced in ${cost.syncSeconds.toFixed(1)} s, all probed in ${cost.confirmedSeconds.toFixed(1)} s, one decided in ${cost.decideMs.toFixed(2)} ms`,
  note: `${cost.syncProcessorSeconds.toFixed(1)} s of processor time to sync; heap ${cost.heapMiB.toFixed(0)} MiB, resident ${cost.residentMiB.toFixed(0)} MiB; writes: ${cost.writes}`,
  target: 'nothing is written',
  isReached: cost.writes === 0,
});

function drawStreams(costs: readonly Cost[]): void {
  const x = { label: 'streams in one pool', scale: 'log' } as const;
  const line = (name: string, pick: (cost: Cost) => number) => ({
    name,
    points: costs.map((cost) => [cost.streams, pick(cost)] as const),
  });
  const plots: readonly Plot[] = [
    {
      title: 'Processor time of one decision',
      x,
      y: { label: 'milliseconds', scale: 'log' },
      series: [
        line('everything new', ({ firstMs }) => firstMs),
        line('one stream edited', ({ editMs }) => editMs),
        line('at rest', ({ restMs }) => restMs),
      ],
    },
    {
      title: 'What is written',
      x,
      y: { label: 'KiB', scale: 'log' },
      series: [
        line('published, all ConfigMaps', ({ publishedBytes }) => publishedBytes / 1024),
        line('for one stream edited', ({ editBytes }) => editBytes / 1024),
      ],
    },
    {
      title: 'ConfigMaps',
      x,
      y: { label: 'shards', scale: 'log' },
      series: [line('shards', ({ shards }) => shards)],
    },
    {
      title: 'Memory',
      x,
      y: { label: 'MiB of heap', scale: 'log' },
      series: [line('heap', ({ heapMiB }) => heapMiB)],
    },
  ];
  draw('growth-streams', plots);
}

export function drawPools(costs: readonly PoolsCost[]): void {
  const x = { label: 'pools of ten workers', scale: 'log' } as const;
  const line = (name: string, pick: (cost: PoolsCost) => number) => ({
    name,
    points: costs.map((cost) => [cost.pools, pick(cost)] as const),
  });
  draw('growth-pools', [
    {
      title: 'From its start',
      x,
      y: { label: 'seconds', scale: 'log' },
      series: [
        line('all workers probed', ({ confirmedSeconds }) => confirmedSeconds),
        line('synced', ({ syncSeconds }) => syncSeconds),
        line('processor time until synced', ({ syncProcessorSeconds }) => syncProcessorSeconds),
      ],
    },
    {
      title: 'Memory',
      x,
      y: { label: 'MiB', scale: 'log' },
      series: [
        line('resident', ({ residentMiB }) => residentMiB),
        line('heap after a collection', ({ heapMiB }) => heapMiB),
      ],
      target: { value: 512, text: 'limit of deploy/' },
    },
    {
      title: 'To read, observe and decide one pool',
      x,
      y: { label: 'milliseconds', scale: 'log' },
      series: [line('one', ({ decideMs }) => decideMs)],
    },
  ]);
}
