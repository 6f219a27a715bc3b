// Whatever version a user writes or a worker answers: does the operator publish one that readers
// accept, with room for later ones?
import { describe, expect, it } from '@jest/globals';
import {
  HIGHEST_VERSION,
  isVersion,
  readAssignment,
  writeAssigned,
} from '../../../../src/api/assignment.ts';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { believedAnswer, FARTHEST_BELIEVED } from '../../../../src/pool/observe/known-versions.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  NOW,
  stepsOf,
  versionOf,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';
import { configMap, gathered, object, tv, workers } from './gathering.ts';

const text = (version: number): string =>
  `workloads: {worker-0: {jobs: [a], version: 1}}\nversion: ${version}`;
const note = (version: number): string =>
  JSON.stringify({
    version,
    moves: 0,
    reason: 'StreamsChanged',
    time: '2026-01-01T00:00:00Z',
    key: 'config.yml',
  });

type Told = {
  readonly text: number;
  readonly note: number;
  readonly pod: number;
  readonly status?: number;
};

/** A pool of version 7, except where the test says that a user wrote another version. */
const gatheredWith = async (told: Partial<Told>): Promise<PoolWorld> => {
  const all: Told = { text: 7, note: 7, pod: 7, status: 7, ...told };
  const pool: KubeObject = {
    ...tv({ streams: [{ name: 'a' }, { name: 'b' }] }),
    status: { version: all.status },
  };
  const set = workers(1);
  const uid = 'worker';
  const pod = object(
    kinds.Pod,
    'worker-0',
    {
      spec: { volumes: [{ configMap: { name: 'tv-assignments' } }] },
      status: { podIP: '127.0.0.1' },
    },
    {
      uid,
      annotations: {
        'k8slab.info/assigned': writeAssigned({ version: all.pod, uid, digest: 'd', attempt: 1 }),
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          name: 'worker',
          uid: 'set',
          controller: true,
        },
      ],
    },
  );
  return gathered([
    pool,
    { ...set, metadata: { ...set.metadata, uid: 'set' } },
    pod,
    configMap(
      'tv-assignments',
      { 'config.yml': text(all.text) },
      {
        labels: { 'k8slab.info/pool': 'tv' },
        annotations: { 'k8slab.info/change': note(all.note) },
      },
    ),
  ]);
};

const published = (at: PoolWorld): number | undefined => {
  // The last publication is old enough for the next change to be published at once.
  const decision = decidePool({ ...at, ages: { ...at.ages, publishedMs: 10_000 } }, NOW);
  const patch = decision.steps.find((step) => step.do === 'patch');
  const written =
    patch?.do === 'patch' && 'data' in patch.body
      ? Object.values(patch.body.data as Record<string, string>)
      : [];
  const read = readAssignment(written[0] ?? '');
  return read.ok ? read.assignment.version : undefined;
};

describe('a version that the operator did not write', () => {
  it.each<[string, Partial<Told>, number]>([
    ['none', {}, 8],
    ['beyond counting, in the text', { text: HIGHEST_VERSION }, 8],
    ['beyond counting, in the note', { note: HIGHEST_VERSION }, 8],
    ['beyond counting, on a pod', { pod: HIGHEST_VERSION }, 8],
    [
      'beyond counting, wherever it can be',
      { text: HIGHEST_VERSION, note: HIGHEST_VERSION, pod: HIGHEST_VERSION },
      8,
    ],
    ['beyond belief', { text: FARTHEST_BELIEVED + 1 }, 8],
    ['that workers may follow', { text: FARTHEST_BELIEVED }, FARTHEST_BELIEVED + 1],
    ['that workers may follow, in the note', { note: 1_000_000 }, 1_000_001],
    ['that workers may follow, on a pod', { pod: 1_000_000 }, 1_000_001],
    [
      'and our own, once it has been driven there',
      { text: FARTHEST_BELIEVED + 9, status: FARTHEST_BELIEVED + 8 },
      FARTHEST_BELIEVED + 10,
    ],
    [
      'and one far above it',
      { text: FARTHEST_BELIEVED * 2, status: FARTHEST_BELIEVED + 8 },
      FARTHEST_BELIEVED + 9,
    ],
    ['too large for any number', { text: 1e300 }, 8],
    ['below zero, and in parts', { text: -1, note: 1.5 }, 8],
  ])('the next version is right whatever version a user wrote: %s', async (_, told, want) => {
    const version = published(await gatheredWith(told));
    expect(version).toBe(want);
    expect(isVersion(version)).toBe(true);
  });

  it('a note with a version beyond counting is read as none', async () => {
    const at = await gatheredWith({ note: HIGHEST_VERSION });
    expect(at.published.change).toBeUndefined();
    expect(at.published.shards[0]?.configMap.annotations['k8slab.info/change']).toBe('');
  });

  it('a version beyond counting in status alone stalls the pool, and the message says the way out', () => {
    const at = withStreams(settled(world()), 5);
    const { status } = at.pool;
    const driven = { ...at, pool: { ...at.pool, status: { ...status, version: HIGHEST_VERSION } } };
    const decision = decidePool(driven, NOW);
    expect(stepsOf(decision)).toEqual(['status', 'event']);
    const next = carriedOut(driven, decision);
    expect(conditionOf(next, 'Stalled')).toMatchObject({
      reason: 'VersionTooHigh',
      message: expect.stringContaining('--subresource=status'),
    });
    expect(versionOf(next)).toBe(1);
    expect(versionOf(settled({ ...next, pool: { ...next.pool, status } }))).toBe(2);
  });
});

describe('a worker that follows a version beyond belief', () => {
  it.each([{ version: HIGHEST_VERSION }, { version: 1, read: FARTHEST_BELIEVED + 1 }])(
    'a worker with a version beyond belief counts as one that does not answer: %j',
    (report) => {
      expect(believedAnswer({ ok: true, report }, 7)).toEqual({
        ok: false,
        reason: expect.stringContaining('delete its pod'),
      });
    },
  );

  it('a worker is believed once the pool itself has reached its version', () => {
    const answer = { ok: true, report: { version: FARTHEST_BELIEVED + 1 } } as const;
    expect(believedAnswer(answer, FARTHEST_BELIEVED)).toBe(answer);
  });
});
