import { describe, expect, it } from '@jest/globals';
import { decideOrphan, decidePool } from '../../../src/pool/decide.ts';
import { nothingRemembered } from '../../../src/pool/world.ts';
import {
  carriedOut,
  NOW,
  settled,
  withConfigMap,
  withSpec,
  world,
} from '../../support/pool-worlds.ts';

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
  it('stands on the ConfigMap from the first publication on', () => {
    expect(marked()[0]?.annotations[MARK]).toBe('Delete');
    expect(settled(world()).published.shards[0]?.configMap.annotations[MARK]).toBeUndefined();
  });

  it.each([
    ['Retain', 'Delete', 'Delete'],
    ['Delete', 'Retain', undefined],
  ])('changed from %s to %s is followed, with no new version', (from, to, mark) => {
    const before = settled(world({ spec: { assignments: { whenDeleted: from } } }));
    const at = withSpec(before, { assignments: assignments(to) });
    const after = settled(carriedOut(at, decidePool(at, NOW)));
    expect(after.published.shards[0]?.configMap.annotations[MARK]).toBe(mark);
    expect(after.pool.status?.version).toBe(before.pool.status?.version);
  });
});

describe('the label of a ConfigMap', () => {
  it('is put back when somebody took it off, with no new version', () => {
    const before = settled(world());
    const [shard] = before.published.shards;
    if (shard === undefined) throw new Error('nothing was published');
    const at = withConfigMap(before, { ...shard.configMap, labels: {} });
    const after = settled(carriedOut(at, decidePool(at, NOW)));
    expect(after.published.shards[0]?.configMap.labels).toMatchObject({ 'k8slab.info/pool': 'tv' });
    expect(after.pool.status?.version).toBe(before.pool.status?.version);
  });
});

describe('a pool that is gone', () => {
  it('is watched for a while: deleting a definition deletes its pools one by one', () => {
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

  it('removes its assignment when only the pool was deleted', () => {
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

  it('leaves it, for good, when the definition is deleted', () => {
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
