// How far a pool was ever published is remembered, whatever becomes of its ConfigMaps.
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { NotedVersions } from '../../../../src/pool/observe/noted-versions.ts';

const pool = { namespace: 'n', name: 'tv' };

const noting = (version: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    namespace: 'n',
    name: 'tv-assignments',
    labels: { 'k8slab.info/pool': 'tv' },
    annotations: {
      'k8slab.info/change': JSON.stringify({
        version,
        moves: 0,
        reason: 'x',
        time: '2026-01-01T00:00:00Z',
      }),
    },
  },
});

function highestAfter(...versions: readonly number[]): number {
  const noted = new NotedVersions(() => 0);
  for (const version of versions) noted.note(noting(version));
  return noted.highest(pool);
}

it.each([
  ['nothing was noted', [], 0],
  ['an older version was noted later', [7, 3], 7],
  ['a version was noted that no operator can have reached', [Number.MAX_SAFE_INTEGER], 0],
])('the highest version when %s', (_, versions, highest) => {
  expect(highestAfter(...versions)).toBe(highest);
});

it('is forgotten with the pool', () => {
  const noted = new NotedVersions(() => 0);
  noted.note(noting(7));
  noted.forget(pool);
  expect(noted.highest(pool)).toBe(0);
});
