// Is only the version in a worker's first answer believed, and is the highest noted one remembered,
// whatever becomes of the ConfigMaps?
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { ProbeAnswer } from '../../../../src/api/report.ts';
import { firstVersions, NotedVersions } from '../../../../src/pool/observe/known-versions.ts';

const says = (version: number, podUid: string | undefined = 'a', read?: number): ProbeAnswer => ({
  ok: true,
  report: { version, ...(podUid !== undefined && { podUid }), ...(read !== undefined && { read }) },
});

const nothing: ReadonlyMap<string, number> = new Map();

describe('the first answer of a worker', () => {
  it.each<[string, readonly ProbeAnswer[], number]>([
    ['is the one that it follows', [says(9)], 9],
    ['is the one that it has read and is about to follow', [says(7, 'a', 9)], 9],
    ['stays the first, whatever it says later', [says(2), says(999)], 2],
    ['is unknown until it answers', [{ ok: false, reason: 'no answer' }, says(9)], 9],
    ['is not believed when its answer names no pod or another pod', [says(9, 'b'), says(9, '')], 0],
  ])("a worker's first version %s", (_, answers, expected) => {
    const remembered = answers.reduce(
      (before, answer) => firstVersions(before, ['a'], { a: answer }),
      nothing,
    );
    expect(remembered.get('a') ?? 0).toBe(expected);
  });

  it("a worker's first version is forgotten with its pod", () => {
    const both = firstVersions(nothing, ['a', 'b'], { a: says(9), b: says(3, 'b') });
    expect([...both.values()]).toEqual([9, 3]);
    expect([...firstVersions(both, ['b'], { b: says(4, 'b') }).values()]).toEqual([3]);
  });
});

const pool = { namespace: 'n', name: 'tv', uid: 'first' };
const known = (): NotedVersions => new NotedVersions(() => ({ uid: 'first', statusVersion: 0 }));

const noting = (version: number, completed?: unknown): KubeObject => ({
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
        completed,
      }),
    },
  },
});

function highestAfter(...versions: readonly number[]): number {
  const noted = known();
  for (const version of versions) noted.note(noting(version));
  return noted.highest(pool);
}

it.each([
  ['nothing was noted', [], 0],
  ['an older version was noted later', [7, 3], 7],
  ['a version was noted that no operator can have reached', [Number.MAX_SAFE_INTEGER], 0],
])('the highest noted version is right when %s', (_, versions, highest) => {
  expect(highestAfter(...versions)).toBe(highest);
});

describe('the number of completed streams', () => {
  it.each<[string, readonly KubeObject[], number | undefined]>([
    ['is noted with it', [noting(7, 3)], 3],
    ['stays when an older version is noted later', [noting(7, 3), noting(5, 1)], 3],
    ['is unknown when another operator saw that version', [noting(6, 2)], undefined],
    ['is unknown when the note has no number', [noting(7)], undefined],
    ['is unknown when the note has nonsense', [noting(7, -1)], undefined],
  ])('the number of completed streams in the highest version %s', (_, objects, expected) => {
    const noted = known();
    for (const object of objects) noted.note(object);
    expect(noted.completedIn(7, pool)).toBe(expected);
  });
});

it('the highest version of a deleted pool counts only for that pool, which a restored etcd may bring back', () => {
  const noted = known();
  noted.note(noting(7));
  noted.forget(pool);
  expect(noted.highest({ ...pool, uid: 'second' })).toBe(0);
  expect(noted.highest(pool)).toBe(7);
});

it('the highest versions of the last thousand deleted pools are kept', () => {
  const noted = new NotedVersions(({ name }) => ({ uid: name, statusVersion: 0 }));
  const names = Array.from({ length: 1_001 }, (_, index) => `p${index}`);
  for (const name of names) {
    const { metadata, ...rest } = noting(7);
    noted.note({ ...rest, metadata: { ...metadata, labels: { 'k8slab.info/pool': name } } });
    noted.forget({ namespace: 'n', name });
  }
  const highest = names.map((name) => noted.highest({ namespace: 'n', name, uid: name }));
  expect(highest).toEqual([0, ...Array(1_000).fill(7)]);
});
