import { describe, expect, it } from '@jest/globals';
import { writeAssignment } from '../../../../src/api/assignment.ts';
import type { ConfigMap } from '../../../../src/api/observed.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled, withConfigMap } from '../../../support/pool-decisions.ts';
import {
  NOW,
  nothingPublished,
  slicesOf,
  versionOf,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

function ownConfigMap(at: PoolWorld): ConfigMap {
  const configMap = at.published.shards[0]?.configMap;
  if (configMap === undefined) throw new Error('nothing is published');
  return configMap;
}

describe('the version', () => {
  it.each([
    ['the ConfigMap is lost', 0, undefined],
    ['the ConfigMap is lost and a worker knows a newer one', 12, undefined],
    [
      'an older copy was restored',
      0,
      'workloads: {worker-0: {jobs: [s0], version: 1}, worker-1: {jobs: [s1], version: 1}}\nversion: 1\n',
    ],
  ])('the version never falls when %s', (_, reported, text) => {
    const before = settled(withStreams(settled(world({ streams: 2 })), 3));
    expect(versionOf(before)).toBe(2);
    const lost =
      text === undefined ? { ...before, published: nothingPublished } : restored(before, text);
    const answers =
      reported === 0
        ? before.answers
        : { 'uid-0': { ok: true, report: { version: reported } } as const };
    const next = settled({ ...lost, answers });
    const floor = Math.max(2, reported);
    expect(versionOf(next)).toBe(floor + 1);
    expect([...slicesOf(next).values()].every(({ version }) => version === floor + 1)).toBe(true);
  });

  it('a worker that lies does not raise the version while the record is whole', () => {
    const at = settled(world());
    expect(
      decide({
        ...at,
        answers: {
          ...at.answers,
          'uid-0': { ok: true, report: { version: 999_999, jobs: ['s0', 's1'] } },
        },
      }).steps,
    ).not.toContainEqual(expect.objectContaining({ do: 'patch' }));
  });

  it('the version never falls when the ConfigMap is emptied or lost right after a publication', () => {
    const before = settled(world({ spec: { refresh: { mode: 'Restart' } } }));
    const changed = withStreams(before, 6);
    const published = carriedOut(changed, {
      ...decide(changed),
      steps: decide(changed).steps.slice(0, 1),
    });
    const highestSeen = versionOf(published);
    const emptied = withConfigMap(published, { ...ownConfigMap(published), data: {} });
    expect(versionOf(carriedOut(emptied, decide(emptied)))).toBe(highestSeen + 1);
    const lost = { ...published, published: nothingPublished, highestSeen };
    expect(versionOf(carriedOut(lost, decide(lost)))).toBe(highestSeen + 1);
  });

  it('a version above the highest seen is published when etcd was restored, also without workers', () => {
    const at = settled(world({ workers: 0 }));
    const next = settled({ ...at, highestSeen: 7 });
    expect(versionOf(next)).toBe(8);
    expect(decide(next).steps).toEqual([]);
  });

  it('the version in status does not fall while a paused pool has an older copy', () => {
    const before = settled(withStreams(settled(world()), 6));
    const text = writeAssignment({ workloads: new Map(), version: 1 });
    const paused = withSpec(restored(before, text), { paused: true });
    expect(versionOf(before)).toBe(2);
    expect(carriedOut(paused, decide(paused)).pool.status?.version).toBe(2);
  });

  const restored = (at: PoolWorld, text: string): PoolWorld =>
    withConfigMap(at, { ...ownConfigMap(at), data: { 'config.yml': text } });
});
