// Do the metrics of a pool count what happened to it, and end with it?
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ProbeAnswer } from '../../../src/api/report.ts';
import { decideOrphan, decidePool } from '../../../src/pool/decide.ts';
import { nothingRemembered, type PoolWorld } from '../../../src/pool/world.ts';
import { families } from '../../../src/server/metrics/families.ts';
import { Metrics, resourceOf } from '../../../src/server/metrics/metrics.ts';
import { carriedOut, confirmed, settled } from '../../support/pool-decisions.ts';
import {
  NOW,
  scaled,
  slicesOf,
  withPod,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const KEY = 'swarm/tv';

let clock = 0;
let metrics: Metrics;

beforeEach(() => {
  clock = 0;
  metrics = new Metrics({ version: '1', commit: 'c', date: 'd' }, () => clock);
});

/** Decides as the engine would, and returns the world that follows. */
function look(at: PoolWorld): PoolWorld {
  const decision = decidePool(at, NOW);
  metrics.pools.decided(KEY, { world: at, decision, now: NOW, tookMs: 2 });
  return carriedOut(at, decision);
}

async function figures(): Promise<Readonly<Record<string, number>>> {
  const lines = (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.includes('pool="tv"'));
  const read = lines.map((line) =>
    /^swarm_pool_(\w+)\{namespace="swarm",pool="tv"\} (.*)$/.exec(line),
  );
  return Object.fromEntries(
    read.flatMap((found) => (found === null ? [] : [[found[1], Number(found[2])]])),
  );
}

/** What each worker says that it runs; the version it says is that of its slice. */
function saying(
  at: PoolWorld,
  jobs: Readonly<Record<string, readonly string[] | undefined>>,
): PoolWorld {
  const answers = at.pods.flatMap(({ name, uid }): [string, ProbeAnswer][] => {
    const said = jobs[name];
    const version = slicesOf(at).get(name)?.version ?? 0;
    return said === undefined ? [] : [[uid, { ok: true, report: { version, jobs: said } }]];
  });
  return { ...at, answers: { ...at.answers, ...Object.fromEntries(answers) } };
}

const since = (at: PoolWorld, publishedMs: number): PoolWorld => ({
  ...at,
  ages: { ...at.ages, publishedMs },
});

describe('a pool', () => {
  it('the metrics of a pool show its numbers, from the first publication to the last confirmation', async () => {
    const published = look(world({ streams: 5, workers: 2 }));
    look(published);
    expect(await figures()).toMatchObject({
      streams: 5,
      workers_desired: 2,
      workers_ready: 2,
      workers_converged: 0,
      converged: 0,
    });
    look(since(confirmed(published), 1_500));
    expect(await figures()).toMatchObject({
      workers_converged: 2,
      converged: 1,
      version: 1,
      changes_total: 1,
      moves_total: 0,
      convergence_seconds_count: 1,
      convergence_seconds_sum: 1.5,
    });
  });

  it('the metrics of a pool count a change once, however often it is observed', async () => {
    const at = settled(world({ streams: 6, workers: 2 }));
    look(at);
    const more = confirmed(look(scaled(at, 3)));
    for (let again = 0; again < 3; again += 1) look(more);
    expect(await figures()).toMatchObject({
      changes_total: 1,
      moves_total: 2,
      workers_desired: 3,
      convergence_seconds_count: 1,
    });
  });

  it('the metrics of a pool count no change from before this replica led', async () => {
    look(settled(world({ streams: 6, workers: 2 })));
    expect(await figures()).toMatchObject({
      version: 1,
      changes_total: 0,
      moves_total: 0,
      convergence_seconds_count: 0,
    });
  });

  it('the metrics count seconds without owner for each stream that no worker reports, also between decisions', async () => {
    const at = settled(world({ streams: ['a', 'b', 'c', 'd'], workers: 2 }));
    look(at);
    clock = 10_000;
    look(saying(at, { 'worker-0': [] }));
    expect(await figures()).toMatchObject({
      streams_without_owner: 2,
      stream_without_owner_seconds_total: 0,
    });
    clock = 13_000;
    expect(await figures()).toMatchObject({ stream_without_owner_seconds_total: 6 });
    clock = 14_000;
    look(at);
    clock = 99_000;
    expect(await figures()).toMatchObject({
      streams_without_owner: 0,
      stream_without_owner_seconds_total: 8,
    });
  });

  it('the metrics count streams without owner if there is no pod, or it does not answer', async () => {
    const at = settled(world({ streams: ['a', 'b', 'c', 'd'], workers: 2 }));
    look({ ...at, answers: { ...at.answers, 'uid-1': { ok: false, reason: 'silent' } } });
    expect(await figures()).toMatchObject({ streams_without_owner: 2 });
    look({ ...at, pods: at.pods.slice(0, 1) });
    expect(await figures()).toMatchObject({ streams_without_owner: 2 });
  });

  it('the metrics assume that workers which were not probed yet run what they are assigned', async () => {
    const at = settled(world({ streams: 4, workers: 2 }));
    look({ ...at, answers: {} });
    expect(await figures()).toMatchObject({ streams_without_owner: 0, streams_doubled: 0 });
    look({ ...withPod(at, 0, { isReady: false }), answers: {} });
    expect(await figures()).toMatchObject({ streams_without_owner: 2 });
  });

  it('the metrics count each stream with two owners once', async () => {
    const at = settled(world({ streams: ['a', 'b', 'c', 'd'], workers: 2 }));
    const doubled = saying(at, { 'worker-1': ['c', 'd', 'a'] });
    look(doubled);
    look({ ...doubled });
    expect(await figures()).toMatchObject({ streams_doubled: 1, doubled_owners_total: 1 });
    look(saying(at, { 'worker-0': ['a', 'b', 'c'], 'worker-1': ['c', 'd', 'a'] }));
    expect(await figures()).toMatchObject({ streams_doubled: 2, doubled_owners_total: 2 });
    look(at);
    expect(await figures()).toMatchObject({ streams_doubled: 0, doubled_owners_total: 2 });
  });

  it('the metrics count no second owner among workers that were not probed yet', async () => {
    const at = settled(world({ streams: ['a', 'b', 'c', 'd'], workers: 2 }));
    const fresh = { ...at, answers: {} };
    look(saying(fresh, { 'worker-1': ['c', 'd', 'a'] }));
    expect(await figures()).toMatchObject({ streams_doubled: 0, doubled_owners_total: 0 });
    look(saying(fresh, { 'worker-0': ['a', 'b'], 'worker-1': ['c', 'd', 'a'] }));
    expect(await figures()).toMatchObject({ streams_doubled: 1, doubled_owners_total: 1 });
  });

  it('the metrics count a stream that is in two shards and runs at both workers', async () => {
    const before = withStreams(
      settled(
        world({ streams: ['a', 'b', 'c', 'd'], workers: 2, spec: { assignments: { shards: 2 } } }),
      ),
      ['a', 'b'],
    );
    const { steps, ...decision } = decidePool(before, NOW);
    const half = carriedOut(before, {
      ...decision,
      steps: steps.slice(0, steps.findIndex(({ do: what }) => what === 'patch') + 1),
    });
    look(saying(half, { 'worker-0': ['a', 'b'], 'worker-1': [] }));
    expect(await figures()).toMatchObject({ streams_doubled: 0 });
    look(saying(half, { 'worker-0': ['a', 'b'], 'worker-1': ['b'] }));
    expect(await figures()).toMatchObject({ streams_doubled: 1 });
  });

  it('a stream at another worker than the assigned one is neither doubled nor without owner', async () => {
    const at = settled(world({ streams: ['a', 'b', 'c', 'd'], workers: 2 }));
    look(saying(at, { 'worker-0': ['a'], 'worker-1': ['b', 'c', 'd'] }));
    expect(await figures()).toMatchObject({ streams_without_owner: 0, streams_doubled: 0 });
    look(saying(at, { 'worker-0': ['c', 'd'], 'worker-1': ['a', 'd'] }));
    expect(await figures()).toMatchObject({ streams_without_owner: 1, streams_doubled: 1 });
  });

  it('the metrics show that a pool is stalled, paused, exclusive or has stuck workers', async () => {
    const at = settled(world({ streams: 4, workers: 2 }));
    look({ ...at, rival: 'older' });
    expect(await figures()).toMatchObject({ stalled: 1, converged: 0, streams: 4 });
    look(withSpec(at, { paused: true, handoff: { type: 'Exclusive' } }));
    expect(await figures()).toMatchObject({ stalled: 0, paused: 1, handoff_exclusive: 1 });
    const late = saying(at, { 'worker-0': ['a'] });
    look({ ...late, ages: { ...late.ages, unconfirmedMs: { 'uid-0': 61_000 } } });
    expect(await figures()).toMatchObject({ workers_stuck: 1, converged: 0 });
  });

  it('a pool has no series once it is deleted or another replica leads', async () => {
    const all = async (): Promise<string> => metrics.registry.metrics();
    look(settled(world()));
    expect(await all()).toContain('pool="tv"');
    metrics.pools.forgotten(KEY);
    expect(await all()).not.toContain('pool="tv"');
    look(settled(world()));
    const orphan = {
      kind: 'DeletedSwarmPool',
      marked: [],
      isServed: true,
      goneMs: 0,
      remembered: nothingRemembered,
    } as const;
    metrics.pools.decided(KEY, {
      world: orphan,
      decision: decideOrphan(orphan),
      now: NOW,
      tookMs: 1,
    });
    expect(await all()).not.toContain('pool="tv"');
  });

  it('a pool has as many series with thousands of streams as with one', async () => {
    const seriesOf = async (streams: number): Promise<number> => {
      look(world({ streams, workers: 4, spec: { assignments: { shards: 4 } } }));
      return (await metrics.registry.metrics())
        .split('\n')
        .filter((line) => line.includes('pool="tv"')).length;
    };
    expect(await seriesOf(2_000)).toBe(await seriesOf(1));
  });
});

describe('the families', () => {
  it.each(families.map(({ name, type, help }) => [name, type, help] as const))(
    'the metric %s follows the conventions',
    (name, type, help) => {
      expect(name).toMatch(/^swarm_(pool|group|queue|operator)_[a-z_]+$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(help).toMatch(/\.$/);
    },
  );
});

describe('the resource of a path', () => {
  it.each([
    ['/api/v1/namespaces/n/configmaps/x', 'configmaps'],
    ['/api/v1/namespaces/n/pods/x/status', 'pods/status'],
    ['/api/v1/pods', 'pods'],
    ['/apis/k8slab.info/v1alpha1/namespaces/n/swarmpools/x/status', 'swarmpools/status'],
    ['/apis/apps/v1/namespaces/n/statefulsets/x/scale', 'statefulsets/scale'],
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x', 'customresourcedefinitions'],
    ['/api/v1/namespaces/n', 'namespaces'],
    ['/apis/k8slab.info/v1alpha1', 'discovery'],
  ])('the path %s is of the resource %s', (path, resource) =>
    expect(resourceOf(path)).toBe(resource),
  );
});
