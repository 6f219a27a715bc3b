import { describe, expect, it } from '@jest/globals';
import type { Assignment } from '../../../../src/api/assignment.ts';
import { publishedNow, withEarlier } from '../../../../src/pool/publish/published.ts';
import type { PublishedShard } from '../../../../src/pool/world.ts';

const configMap = {
  name: '',
  namespace: 'swarm',
  uid: '',
  resourceVersion: '',
  labels: {},
  annotations: {},
  data: {},
};

const place = (name: string, version: number, ...workers: readonly string[]): PublishedShard => {
  const assignment: Assignment = {
    version,
    workloads: new Map(workers.map((worker) => [worker, { jobs: [`of ${worker}`], version }])),
  };
  return {
    name,
    key: 'config.yml',
    configMap: { ...configMap, name },
    read: { ok: true, assignment },
  };
};

const unreadable = (name: string): PublishedShard => ({
  ...place(name, 1),
  read: { ok: false, problem: 'not YAML' },
});

describe('an earlier ConfigMap', () => {
  const earlier = place('before', 5, 'worker-0', 'gone');
  const workersIn = (current: readonly PublishedShard[], places: number): readonly string[] => [
    ...(publishedNow(withEarlier(current, [earlier], places)).assignment?.workloads.keys() ?? []),
  ];

  it.each([
    ['counts while the present one does not exist', [], 1, ['worker-0', 'gone']],
    ['counts while the present one cannot be read', [unreadable('now')], 1, ['worker-0', 'gone']],
    [
      'counts while the present one is older',
      [place('now', 4, 'worker-0')],
      1,
      ['worker-0', 'gone'],
    ],
    [
      'counts until the last of several present ones has been written',
      [place('now-0', 6, 'worker-0')],
      2,
      ['worker-0', 'gone'],
    ],
    [
      'does not count once the present one is newer',
      [place('now', 6, 'worker-0')],
      1,
      ['worker-0'],
    ],
  ] as const)('an earlier ConfigMap %s', (_, current, places, wanted) => {
    expect(workersIn(current, places)).toEqual(wanted);
  });
});
