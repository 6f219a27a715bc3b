// Does a suspended stream keep its place and its weight, and run nowhere?
import { describe, expect, it } from '@jest/globals';
import {
  placedIn,
  readAssignment,
  type Slice,
  writeAssignment,
} from '../../../../src/api/assignment.ts';
import { readStreamList } from '../../../../src/api/stream-list.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { explain } from '../../../../src/pool/plan/explain.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  scaled,
  slicesOf,
  versionOf,
  withPod,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

type Streams = readonly {
  readonly name: string;
  readonly weight?: number;
  readonly suspend?: boolean;
}[];

const four: Streams = ['s0', 's1', 's2', 's3'].map((name) => ({ name }));
const suspending = (name: string, streams = four): Streams =>
  streams.map((it) => (it.name === name ? { ...it, suspend: true } : it));

const sliceOf = (at: PoolWorld, ordinal: number): Slice | undefined =>
  slicesOf(at).get(`worker-${ordinal}`);

const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

const exclusive = { handoff: { type: 'Exclusive' } };

describe('a suspended stream', () => {
  const before = settled(world({ streams: four }));
  const after = settled(withStreams(before, suspending('s1')));

  it('a suspended stream leaves the jobs of its worker, and nothing moves', () => {
    expect(jobsOf(before)).toEqual({ 'worker-0': ['s0', 's1'], 'worker-1': ['s2', 's3'] });
    expect(jobsOf(after)).toEqual({ 'worker-0': ['s0'], 'worker-1': ['s2', 's3'] });
    expect(sliceOf(after, 0)?.suspended).toEqual(['s1']);
    expect(after.published.change).toMatchObject({ moves: 0, reason: 'StreamsChanged' });
  });

  it('a suspended stream is counted, and the pool is Ready', () => {
    expect(after.pool.status?.streams).toMatchObject({
      ...{ total: 4, assigned: 4, unassigned: 0, suspended: 1 },
    });
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
    expect(before.pool.status?.streams).not.toHaveProperty('suspended');
  });

  it('a suspended stream is only unassigned while there is no worker', () => {
    const nobody = settled(scaled(after, 0));
    expect(nobody.pool.status?.streams).toMatchObject({ total: 4, assigned: 0, unassigned: 4 });
    expect(nobody.pool.status?.streams).not.toHaveProperty('suspended');
  });

  it('a suspended stream keeps its place while its worker, which has no other stream, is not Ready', () => {
    const two = [{ name: 'a' }, { name: 'b', suspend: true }];
    const alone = settled(world({ streams: two }));
    const away = withPod(alone, 1, { isReady: false });
    expect(decidePool(away, NOW).steps.filter((step) => step.do === 'patch')).toEqual([]);
    expect(sliceOf(settled(away), 1)?.suspended).toEqual(['b']);
  });

  it('a suspended stream is explained', () => {
    const explained = explain(after, decidePool(after, NOW).basis, 's1', NOW);
    expect(explained.ok && explained.explanation).toMatchObject({
      worker: 'worker-0',
      because: expect.arrayContaining([
        'it is suspended (suspend: true): it keeps its worker and does not run',
      ]),
    });
  });

  it('a resumed stream runs again at its worker', () => {
    const again = settled(withStreams(after, four));
    expect(jobsOf(again)).toEqual(jobsOf(before));
    expect(sliceOf(again, 0)).not.toHaveProperty('suspended');
    expect(versionOf(again)).toBe(versionOf(after) + 1);
  });

  it('a suspended stream is published once: at rest nothing is written', () => {
    expect(decidePool(after, NOW).steps).toEqual([]);
  });

  it('a suspended stream keeps its weight', () => {
    const heavy: Streams = [
      { name: 'a', weight: 80 },
      { name: 'b', weight: 80, suspend: true },
    ];
    const full = settled(world({ streams: heavy }));
    const another = settled(withStreams(full, [...heavy, { name: 'c', weight: 30 }]));
    expect(another.pool.status?.unassigned).toMatchObject([{ name: 'c' }]);
    expect(sliceOf(another, 1)?.weights).toEqual({ b: 80 });
  });

  it('a suspended stream stays suspended while the list is invalid', () => {
    const bad = [...suspending('s1'), { name: 's0' }];
    expect(jobsOf(settled(withStreams(after, bad)))).toEqual(jobsOf(after));
  });

  it('a suspended stream moves with the other streams of a removed worker, still suspended', () => {
    const gone = settled({
      ...after,
      targets: after.targets.map((target) => ({ ...target, replicas: 1 })),
      pods: after.pods.slice(1).map((pod) => ({ ...pod, name: 'worker-0' })),
    });
    expect([...slicesOf(gone).values()].flatMap(placedIn).sort()).toEqual(['s0', 's1', 's2', 's3']);
    expect([...slicesOf(gone).values()].flatMap(({ suspended = [] }) => suspended)).toEqual(['s1']);
  });
});

describe('with handoff Exclusive a suspended stream', () => {
  const before = settled(world({ streams: four, spec: exclusive }));

  it('with Exclusive a suspended stream is released until its worker has confirmed', () => {
    const told = next(withStreams(before, suspending('s1')));
    expect(sliceOf(told, 0)).toMatchObject({
      ...{ jobs: ['s0'], releasing: ['s1'], suspended: ['s1'] },
    });
    expect(sliceOf(settled(confirmed(told)), 0)).not.toHaveProperty('releasing');
  });

  it('with Exclusive a resumed stream starts at no other worker before its release', () => {
    const told = next(withStreams(before, suspending('s1')));
    // It is resumed at another worker, by a pin, while its worker has not answered.
    const pinned = four.map((it) => (it.name === 's1' ? { ...it, ordinal: 1 } : it));
    const moving = next(withStreams(told, pinned));
    expect(sliceOf(moving, 1)?.jobs).not.toContain('s1');
    expect(sliceOf(moving, 0)?.releasing).toEqual(['s1']);
    const done = settled(confirmed(moving));
    expect(sliceOf(done, 1)?.jobs).toContain('s1');
  });

  it('with Exclusive a suspended stream needs no release when the pod of its worker has ended', () => {
    const ended = withPod(before, 0, { hasEnded: true, isReady: false });
    const told = next(withStreams(ended, suspending('s1')));
    expect(sliceOf(told, 0)).not.toHaveProperty('releasing');
  });
});

describe('suspend', () => {
  it('suspended streams of an assignment can be written and read again', () => {
    const slice: Slice = { jobs: ['a'], version: 3, suspended: ['b', '12'] };
    const assignment = { workloads: new Map([['w', slice]]), version: 3 };
    expect(readAssignment(writeAssignment(assignment))).toEqual({ ok: true, assignment });
    const text = 'workloads:\n  w:\n    jobs: []\n    suspended: 3\nversion: 1\n';
    expect(readAssignment(text)).toMatchObject({
      problem: 'workloads.w: `suspended` is not a list of stream names',
    });
  });

  it.each([
    ['a suspend', { name: 'a', suspend: true }],
    ['a=20  suspend # off', { name: 'a', weight: 20, suspend: true }],
    ['suspend', { name: 'suspend' }],
    ['a suspended', { name: 'a suspended' }],
    ['- { name: a suspend }', { name: 'a suspend' }],
    ['- { name: a, suspend: true }', { name: 'a', suspend: true }],
  ])('the line %j of a list is read with the right name and suspend', (text, stream) => {
    expect(readStreamList(text, 'list')).toEqual({
      ok: true,
      streams: [stream],
      lines: Int32Array.of(1),
    });
  });

  it('suspend in a list must be true or false', () => {
    expect(readStreamList('- { name: a, suspend: "yes" }', 'list')).toMatchObject({
      problems: [{ field: 'list line 1.suspend', message: 'must be boolean' }],
    });
  });
});
