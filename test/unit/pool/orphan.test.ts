import { describe, expect, it } from '@jest/globals';
import { decideOrphan, decidePool } from '../../../src/pool/decide.ts';
import { nothingRemembered } from '../../../src/pool/world.ts';
import { carriedOut, settled, withConfigMap } from '../../support/pool-decisions.ts';
import { NOW, withSpec, world } from '../../support/pool-worlds.ts';

const MARK = 'k8slab.info/when-deleted';

const assignments = (whenDeleted: string): object => ({
  key: 'config.yml',
  shards: 1,
  whenDeleted,
});

const marked = () => {
  const [shard] = settled(world({ spec: { assignments: { whenDeleted: 'Delete' } } })).published
    .shards;
  if (shard === undefined) throw new Error('nothing was published');
  return [shard.configMap];
};

describe('assignments.whenDeleted', () => {
  it('whenDeleted Delete is marked on the ConfigMap from the first publication on', () => {
    expect(marked()[0]?.annotations[MARK]).toBe('Delete');
    expect(settled(world()).published.shards[0]?.configMap.annotations[MARK]).toBeUndefined();
  });

  it.each([
    ['Retain', 'Delete', 'Delete'],
    ['Delete', 'Retain', undefined],
  ])(
    'a change of whenDeleted from %s to %s is followed without a new version',
    (from, to, mark) => {
      const before = settled(world({ spec: { assignments: { whenDeleted: from } } }));
      const at = withSpec(before, { assignments: assignments(to) });
      const after = settled(carriedOut(at, decidePool(at, NOW)));
      expect(after.published.shards[0]?.configMap.annotations[MARK]).toBe(mark);
      expect(after.pool.status?.version).toBe(before.pool.status?.version);
    },
  );
});

describe('the label of a ConfigMap', () => {
  it('the label of a ConfigMap is put back after a user removed it, without a new version', () => {
    const before = settled(world());
    const [shard] = before.published.shards;
    if (shard === undefined) throw new Error('nothing was published');
    const at = withConfigMap(before, { ...shard.configMap, labels: {} });
    const after = settled(carriedOut(at, decidePool(at, NOW)));
    expect(after.published.shards[0]?.configMap.labels).toMatchObject({ 'k8slab.info/pool': 'tv' });
    expect(after.pool.status?.version).toBe(before.pool.status?.version);
  });
});

describe('a deleted pool', () => {
  it('a deleted pool is watched for ten seconds before its ConfigMap is deleted', () => {
    const early = decideOrphan({
      kind: 'DeletedSwarmPool',
      marked: marked(),
      isServed: true,
      goneMs: 9_500,
      remembered: nothingRemembered,
    });
    expect(early).toEqual({
      steps: [],
      probes: [],
      requeueAfterMs: 500,
      lacking: [],
      remembered: nothingRemembered,
    });
  });

  it('the ConfigMap of a deleted pool is deleted when the CRD still exists', () => {
    const [configMap] = marked();
    const { steps } = decideOrphan({
      kind: 'DeletedSwarmPool',
      marked: marked(),
      isServed: true,
      goneMs: 10_000,
      remembered: nothingRemembered,
    });
    const { uid, resourceVersion } = configMap ?? {};
    expect(steps).toMatchObject([
      {
        do: 'delete',
        kind: { kind: 'ConfigMap' },
        ref: { name: 'tv-assignments', uid, resourceVersion },
      },
    ]);
  });

  it('the ConfigMap of a deleted pool is left for good when the CRD was deleted', () => {
    const { steps, requeueAfterMs } = decideOrphan({
      kind: 'DeletedSwarmPool',
      marked: marked(),
      isServed: false,
      goneMs: 20_000,
      remembered: nothingRemembered,
    });
    expect(steps).toMatchObject([
      { do: 'patch', body: { metadata: { annotations: { [MARK]: null } } } },
    ]);
    expect(requeueAfterMs).toBeUndefined();
  });
});
