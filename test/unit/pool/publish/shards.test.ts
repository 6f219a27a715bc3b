import { describe, expect, it } from '@jest/globals';
import { decidePool, desiredIn } from '../../../../src/pool/decide.ts';
import { shardsOf } from '../../../../src/pool/publish/published.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled, withConfigMap } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  slicesOf,
  streamNames,
  versionOf,
  withShards,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);
const sharded = (shards: number, streams = 8, workers = 4): PoolWorld =>
  world({
    streams,
    workers,
    spec: { assignments: { shards } },
    mounts: ['tv-assignments-0', 'tv-assignments-1'],
  });

/** Shard -> the workers whose slices it contains. */
const places = (at: PoolWorld): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    at.published.shards.map(({ name, read }) => [
      name,
      read?.ok === true ? [...read.assignment.workloads.keys()] : [],
    ]),
  );

/** ConfigMap -> the one that its moved-to mark names. */
const leftFor = (at: PoolWorld): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    at.published.shards.map(({ name, configMap }) => [
      name,
      configMap.annotations['k8slab.info/moved-to'],
    ]),
  );

const written = (at: PoolWorld): readonly string[] =>
  decide(at).steps.flatMap((step) =>
    step.do === 'patch' ? [step.ref.name] : step.do === 'create' ? [step.object.metadata.name] : [],
  );

describe('shards', () => {
  it('shards have names and keys of their own', () => {
    const at = sharded(2);
    if (!at.pool.spec.ok) throw new Error('not a valid spec');
    expect(shardsOf('tv', at.pool.spec.value)).toEqual([
      { name: 'tv-assignments-0', key: 'config-0.yml' },
      { name: 'tv-assignments-1', key: 'config-1.yml' },
    ]);
  });

  it('shards share the workers by ordinal, and together have all streams', () => {
    const at = settled(sharded(2));
    expect(places(at)).toEqual({
      'tv-assignments-0': ['worker-0', 'worker-2'],
      'tv-assignments-1': ['worker-1', 'worker-3'],
    });
    expect(Object.values(jobsOf(at)).flat().sort()).toEqual([...streamNames(8)].sort());
    expect(conditionOf(at, 'Mounted')?.status).toBe('True');
    expect(decide(at).steps).toEqual([]);
  });

  it('only a shard whose contents changed is written', () => {
    const at = withStreams(settled(sharded(2)), [...streamNames(8), 'late']);
    expect(written(at)).toEqual(['tv-assignments-0']);
  });

  it.each([
    ['the second', ['s0', 's1', 's4', 's5'], ['tv-assignments-1', 'tv-assignments-0']],
    ['the first', ['s2', 's3', 's6', 's7'], ['tv-assignments-0', 'tv-assignments-1']],
  ])(
    'the shard that receives a stream is written before the one that gives it: %s',
    (_, streams, want) => {
      // Its workers lose their streams, and each gets one from the workers of the other shard.
      expect(written(withStreams(settled(sharded(2)), streams))).toEqual(want);
    },
  );

  it('a half-written change of shards goes on: nothing is lost or doubled, and the version grows', () => {
    const at = withStreams(settled(sharded(2)), ['s0', 's1', 's4', 's5', 's6', 's7']);
    const decision = decide(at);
    const first = decision.steps.findIndex((step) => step.do === 'patch');
    const crashed = carriedOut(at, { ...decision, steps: decision.steps.slice(0, first + 1) });
    const next = settled(crashed);
    expect(Object.values(jobsOf(next)).flat().sort()).toEqual(['s0', 's1', 's4', 's5', 's6', 's7']);
    expect(versionOf(next)).toBeGreaterThan(versionOf(at));
  });

  it('another number of shards moves no stream', () => {
    const one = settled(world({ streams: 8, workers: 4 }));
    const two = settled(
      withSpec(one, { assignments: { key: 'config.yml', shards: 2, whenDeleted: 'Retain' } }),
    );
    expect(jobsOf(two)).toEqual(jobsOf(one));
    expect(two.pool.status?.history?.[0]).toMatchObject({ reason: 'AssignmentMoved', moves: 0 });
    expect(decide(two).steps).toEqual([]);
  });

  it('every shard is written when the pool leaves one of the same version: that one would count on', () => {
    const fewer = { assignments: { key: 'config.yml', shards: 2, whenDeleted: 'Retain' } };
    const two = withSpec(settled(sharded(3, 8, 3)), fewer);
    expect(new Set(written(two))).toEqual(
      new Set(['tv-assignments-0', 'tv-assignments-1', 'tv-assignments-2']),
    );
    const [first, second, left] = settled(two).published.shards.map(({ read }) =>
      read?.ok === true ? read.assignment.version : 0,
    );
    expect([first, second, left]).toEqual([2, 2, 1]);
  });

  it('a change whose second file is written after a crash counts as what it is', () => {
    const at = withSpec(settled(sharded(2, 8, 4)), {
      workers: { selector: { matchLabels: { app: 'worker' } }, cordoned: [0] },
    });
    const whole = decide(at);
    const [first] = whole.steps.filter((step) => step.do === 'patch');
    if (first === undefined) throw new Error('nothing is published');
    const rest = decide(carriedOut(at, { steps: [first] }));
    const desired = desiredIn(rest);
    expect(desired?.publication.change?.reason).toBe('WorkerCordoned');
    expect(desired?.publication.moves.every(({ to }) => to !== undefined)).toBe(true);
  });

  it('an earlier ConfigMap is marked as left before the first write to another one', () => {
    const named = (at: PoolWorld, configMapName: string): PoolWorld =>
      withSpec(at, {
        assignments: { configMapName, key: 'config.yml', shards: 1, whenDeleted: 'Retain' },
      });
    const moving = named(settled(world({ streams: 4 })), 'elsewhere');
    expect(written(moving)).toEqual(['tv-assignments', 'elsewhere']);
    const there = settled(moving);
    expect(leftFor(there)).toEqual({ 'tv-assignments': 'elsewhere', elsewhere: undefined });
    expect(leftFor(settled(named(there, 'tv-assignments')))).toEqual({
      'tv-assignments': undefined,
      elsewhere: 'tv-assignments',
    });
  });

  it('the reason is AssignmentMoved when a pool with refresh Restart gets another ConfigMap', () => {
    const spec = { refresh: { mode: 'Restart' } };
    const moving = withSpec(settled(world({ streams: 4, spec })), {
      assignments: {
        configMapName: 'elsewhere',
        key: 'config.yml',
        shards: 1,
        whenDeleted: 'Retain',
      },
    });
    const published = decide(moving).steps.flatMap((step) =>
      step.do === 'event' ? [step.event.message] : [],
    );
    expect(published).toEqual([expect.stringContaining('(AssignmentMoved)')]);
  });

  it('a pool that is moved again and again has no conflict', () => {
    const named = (at: PoolWorld, configMapName: string): PoolWorld =>
      settled(
        withSpec(at, {
          assignments: { configMapName, key: 'config.yml', shards: 1, whenDeleted: 'Retain' },
        }),
      );
    const last = ['b', 'c', 'd', 'e'].reduce(named, settled(world({ streams: 4 })));
    expect(last.pool.status?.history?.slice(0, 3).map(({ reason }) => reason)).toEqual(
      Array(3).fill('AssignmentMoved'),
    );
    expect(conditionOf(last, 'Stalled')?.status).toBe('False');
  });

  it('every worker gets a new version when a pool comes back and its later publication is unreadable', () => {
    const one = settled(world({ streams: 8, workers: 4 }));
    const assignments = (shards: number): object => ({
      key: 'config.yml',
      shards,
      whenDeleted: 'Retain',
    });
    const two = settled(withSpec(one, { assignments: assignments(2) }));
    const back = withSpec(two, { assignments: assignments(1) });
    const halfRead = withShards(back, [
      ...one.published.shards,
      ...back.published.shards.filter(({ name }) => name === 'tv-assignments-0'),
    ]);
    const anew = {
      ...halfRead,
      pods: halfRead.pods.map((pod) => ({ ...pod, uid: `${pod.uid} anew`, assigned: undefined })),
      answers: {},
    };
    const next = carriedOut(anew, decide(anew));
    expect([...slicesOf(next).values()].map(({ version }) => version)).toEqual(
      Array(4).fill(versionOf(two) + 1),
    );
  });

  it('a shard that is restored from an older copy is published above what its workers were told', () => {
    const old = settled(sharded(2));
    const at = settled(withStreams(old, 4));
    const [first] = old.published.shards;
    const restored = withShards(
      at,
      at.published.shards.map((it, index) => (index === 0 ? (first ?? it) : it)),
    );
    const next = settled(restored);
    expect(Object.values(jobsOf(next)).flat().sort()).toEqual([...streamNames(4)]);
    expect([...slicesOf(next).values()].map(({ version }) => version)).toEqual(
      Array(4).fill(versionOf(at) + 1),
    );
    expect(next.pool.status?.history?.[0]).toMatchObject({ reason: 'AssignmentRestored' });
  });

  it('a lost shard is written again', () => {
    const at = settled(sharded(2));
    const lost = withShards(
      at,
      at.published.shards.filter(({ name }) => name !== 'tv-assignments-1'),
    );
    const next = settled(lost);
    expect(places(next)).toEqual(places(at));
    expect(Object.values(jobsOf(next)).flat().sort()).toEqual([...streamNames(8)].sort());
    expect(versionOf(next)).toBeGreaterThan(versionOf(at));
  });

  it('no shard is written when one of them is foreign', () => {
    const configMap = {
      name: 'tv-assignments-1',
      namespace: 'swarm',
      uid: 'x',
      resourceVersion: '1',
      labels: {},
      annotations: {},
      data: {},
    };
    const at = withConfigMap(sharded(2), configMap);
    expect(written(at)).toEqual([]);
    expect(conditionOf(carriedOut(at, decide(at)), 'Stalled')).toMatchObject({
      reason: 'AssignmentsConflict',
    });
  });
});

describe('an assignment that is too large', () => {
  const many = Array.from(
    { length: 12_000 },
    (_, index) => `stream-${String(index).padStart(100, '0')}`,
  );
  const read = {
    ok: true,
    streams: many.map((name) => ({ name })),
    lines: Int32Array.from(many.keys()),
  } as const;

  it('a too large assignment is refused with the number of shards that is enough, and that is enough', () => {
    const at = { ...world({ streams: 0, workers: 8 }), lists: [{ source: 'lineup/all', read }] };
    expect(written(at)).toEqual([]);
    expect(conditionOf(carriedOut(at, decide(at)), 'Stalled')).toMatchObject({
      reason: 'AssignmentTooLarge',
      message:
        'the assignment does not fit into 1 ConfigMap of at most 700 KiB; spec.assignments.shards: 2 is enough',
    });
    const enough = {
      ...withSpec(at, { assignments: { key: 'config.yml', shards: 2, whenDeleted: 'Retain' } }),
      lists: at.lists,
    };
    expect(written(enough)).toHaveLength(2);
  });
});

describe('a status', () => {
  it('a status stays below 256 KiB: totals and a digest stand for what is not shown', () => {
    const streams = Array.from({ length: 60_000 }, (_, index) => ({
      name: `stream-${String(index).padStart(110, '0')}`,
      weight: 1,
    }));
    const read = {
      ok: true,
      streams,
      lines: Int32Array.from(streams.keys()),
    } as const;
    const base = world({ streams: 0, workers: 400, spec: { assignments: { shards: 40 } } });
    const at = settled({ ...base, lists: [{ source: 'lineup/all', read }] });
    const { status } = at.pool;
    expect(JSON.stringify(status).length).toBeLessThan(256 * 1024);
    expect(status?.streams).toEqual({ total: 60_000, assigned: 40_000, unassigned: 20_000 });
    expect(status?.workers).toHaveLength(100);
    expect(status?.workers?.[0]).toMatchObject({
      total: 100,
      digest: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(status?.unassigned).toHaveLength(100);
    expect(status?.requiredReplicas).toBe(600);
  });
});
