// Is a pod of an earlier target known when another writer spoiled the file that named it?
import { describe, expect, it } from '@jest/globals';
import { textDigest, writeAssigned } from '../../../../src/api/assignment.ts';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { configMap, gathered, gathering, object, tv, workers } from './gathering.ts';

const LABELS = { 'k8slab.info/pool': 'tv' };
const VERSION = 7;
/** The API in memory gives this one to the object that is created first. */
const UID = 'uid-1';
const written = `workloads: {old-0: {jobs: [a], version: 5}}\nversion: ${VERSION}`;
const other = `workloads: {worker-1: {jobs: [b], version: 6}}\nversion: ${VERSION}`;

/** As the operator wrote it: its note names the key, and the digest of the text. */
const noted = (key: string, text: string) => ({
  'k8slab.info/change': JSON.stringify({
    version: VERSION,
    moves: 0,
    reason: 'StreamsChanged',
    time: '2026-01-01T00:00:00Z',
    key,
    digest: textDigest(text),
  }),
});

/**
 * It mounts the first of the two files, was nudged for version 5, and belongs to no target of the
 * pool.
 */
const former: KubeObject = object(
  kinds.Pod,
  'old-0',
  { spec: { volumes: [{ configMap: { name: 'tv-assignments-0' } }] } },
  {
    annotations: {
      'k8slab.info/assigned': writeAssigned({ version: 5, uid: UID, digest: 'd', attempt: 1 }),
    },
  },
);

/**
 * `data` undefined: the first file does not exist. The second is as it was written, and has the
 * version of the status.
 */
const formerPodsWith = async (
  data: Readonly<Record<string, string>> | undefined,
  metadata: object = {},
  spec: object = {},
): Promise<readonly string[]> => {
  const { formerPods } = await gathered([
    former,
    {
      ...tv({ assignments: { shards: 2 }, streams: [{ name: 'a' }, { name: 'b' }], ...spec }),
      status: { version: VERSION },
    },
    workers(2),
    ...(data === undefined
      ? []
      : [
          configMap('tv-assignments-0', data, {
            labels: LABELS,
            annotations: noted('config-0.yml', written),
            ...metadata,
          }),
        ]),
    configMap(
      'tv-assignments-1',
      { 'config-1.yml': other },
      { labels: LABELS, annotations: noted('config-1.yml', other) },
    ),
  ]);
  return formerPods.map(({ name }) => name);
};

describe('a pod of an earlier target', () => {
  it.each<[string, Readonly<Record<string, string>> | undefined]>([
    ['was deleted', undefined],
    ['is as it was written', { 'config-0.yml': written }],
    ['was emptied', {}],
    ['holds nonsense', { 'config-0.yml': '{{{' }],
    ['was edited', { 'config-0.yml': written.replace('old-0', 'worker-0') }],
  ])('a pod of an earlier target is a former worker when its file %s', async (_, data) => {
    expect(await formerPodsWith(data)).toEqual(['old-0']);
  });

  it('a pod of an earlier target is a former worker although it cannot be probed (probe None)', async () => {
    const none = { probe: { type: 'None' } };
    expect(await formerPodsWith({ 'config-0.yml': written }, {}, none)).toEqual(['old-0']);
  });

  const released = `workloads: {worker-0: {jobs: [a], version: 6}}\nversion: ${VERSION}`;

  it.each<[string, Readonly<Record<string, string>>, object]>([
    [
      'the operator wrote without it',
      { 'config-0.yml': released },
      { annotations: noted('config-0.yml', released) },
    ],
    ['the operator never wrote', {}, { annotations: {} }],
    ['does not carry the label of the pool', {}, { labels: {} }],
  ])(
    'a pod of an earlier target is no former worker when its file is one that %s',
    async (_, data, metadata) => {
      expect(await formerPodsWith(data, metadata)).toEqual([]);
    },
  );
});

it('a pool waits for a pool that still names pods of its target, and for no other', async () => {
  const pod = object(
    kinds.Pod,
    'worker-0',
    { spec: { volumes: [{ configMap: { name: 'radio-assignments' } }] } },
    {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'worker', uid: UID, controller: true },
      ],
    },
  );
  const radio = object(
    kinds.SwarmPool,
    'radio',
    {
      spec: {
        workers: { targetRef: { name: 'other' } },
        streams: [{ name: 'a' }],
        handoff: { type: 'Exclusive' },
      },
    },
    { generation: 1 },
  );
  const fileNaming = (worker: string) =>
    configMap(
      'radio-assignments',
      { 'config.yml': `workloads: {${worker}: {jobs: [a], version: 5}}\nversion: 5` },
      { labels: { 'k8slab.info/pool': 'radio' } },
    );
  const predecessorWith = async (worker: string) => {
    const mine = tv({ streams: [{ name: 'b' }] });
    const at = await gathered([workers(1), pod, mine, radio, fileNaming(worker)]);
    return at.predecessor;
  };
  expect(await predecessorWith('worker-0')).toMatchObject({ pool: 'radio', workers: ['worker-0'] });
  expect(await predecessorWith('other-0')).toBeUndefined();
});

it('a pool that is deleted while its file is read names no pods any more', async () => {
  const woken = new Map<string, string[]>();
  const pool = tv({ streams: [{ name: 'a' }] });
  const file = configMap('tv-assignments', { 'config.yml': written }, { labels: LABELS });
  const { api, gather, change, remove, stop } = await gathering(
    [pool, workers(1), file, former],
    undefined,
    woken,
  );
  api.faults = { after: ({ kind }) => (kind.kind === 'ConfigMap' ? remove(pool) : undefined) };
  await gather().catch(() => undefined);
  woken.clear();
  change(former);
  expect([...woken.values()].flat()).toEqual([]);
  await stop();
});
