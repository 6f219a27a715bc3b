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

describe('a place where the pool was published before', () => {
  const earlier = place('before', 5, 'worker-0', 'gone');
  const workersIn = (current: readonly PublishedShard[], places: number): readonly string[] => [
    ...(publishedNow(withEarlier(current, [earlier], places)).assignment?.workloads.keys() ?? []),
  ];

  it.each([
    ['counts while nothing is where the pool says', [], 1, ['worker-0', 'gone']],
    ['counts while what is there cannot be read', [unreadable('now')], 1, ['worker-0', 'gone']],
    ['counts while what is there is older', [place('now', 4, 'worker-0')], 1, ['worker-0', 'gone']],
    [
      'counts until the last of several places has been written',
      [place('now-0', 6, 'worker-0')],
      2,
      ['worker-0', 'gone'],
    ],
    [
      'does not count once what is there is newer: workers that are gone would stand there for ever',
      [place('now', 6, 'worker-0')],
      1,
      ['worker-0'],
    ],
  ] as const)('%s', (_, current, places, wanted) => {
    expect(workersIn(current, places)).toEqual(wanted);
  });
});
