// Are annotations of ours that a user made unreadable ignored, reported and removed?
import { describe, expect, it } from '@jest/globals';
import { readAssigned } from '../../../../src/api/assignment.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { brokenAnnotations } from '../../../../src/pool/publish/config-map.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled, withConfigMap } from '../../../support/pool-decisions.ts';
import { conditionOf, NOW, versionOf, world } from '../../../support/pool-worlds.ts';

const own = (at: PoolWorld) => {
  const configMap = at.published.shards[0]?.configMap;
  if (configMap === undefined) throw new Error('nothing is published');
  return configMap;
};
const withMark = (at: PoolWorld, name: string, text: string): PoolWorld =>
  withConfigMap(at, {
    ...own(at),
    annotations: { ...own(at).annotations, [`k8slab.info/${name}`]: text },
  });
const note = (change: object): string =>
  JSON.stringify({
    version: 1,
    moves: 0,
    reason: 'FirstPublication',
    time: '2026-01-01T00:00:00Z',
    ...change,
  });

describe('an annotation that cannot be read', () => {
  it.each([
    ['moved-to', '..'],
    ['moved-to', 'x'.repeat(1_000)],
    ['moved-to', 'a/../b'],
    ['moved-to', ''],
    ['never-ready', '{'],
    ['never-ready', '{"a": 1}'],
    ['never-ready', '[1]'],
    ['outdated-pods', '"x"'],
    ['restarted', '{"worker-0": "x"}'],
    ['restarted', '{"worker-0": 1e300}'],
    ['restarted', '{"worker-0": {"version": 2}}'],
    ['restarted', '{"worker-0": {"version": 0, "podUid": "x"}}'],
    ['change', '['.repeat(10_000)],
    ['change', note({ moves: 1.5 })],
    ['change', note({ moves: -1 })],
    ['change', note({ reason: 'x'.repeat(100_000) })],
    ['change', note({ time: 'yesterday' })],
    ['change', note({ time: '9999-99-99T99:99:99Z' })],
  ])('a broken annotation %s (case %#) is ignored, reported and removed at once', (name, text) => {
    const rest = settled(world());
    const at = withMark(rest, name, text);
    const decision = decidePool(at, NOW);
    expect(decision.steps).toContainEqual(
      expect.objectContaining({
        do: 'event',
        event: expect.objectContaining({ type: 'Warning', reason: 'AnnotationIgnored' }),
      }),
    );
    const after = settled(carriedOut(at, decision));
    expect(own(after).annotations[`k8slab.info/${name}`]).toBeUndefined();
    expect(versionOf(after)).toBe(1);
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
  });

  it('the operator writes no annotation that counts as broken', () => {
    expect(
      brokenAnnotations(
        own(settled(world({ spec: { probe: { type: 'None' }, refresh: { mode: 'Restart' } } }))),
      ),
    ).toEqual([]);
  });
});

it.each([1.5, 0, -1, 1e300])(
  'an annotation of a pod with attempt %p is ignored, since it would be repeated without a pause',
  (attempt) => {
    expect(
      readAssigned(JSON.stringify({ version: 1, uid: 'u', digest: 'd', attempt })),
    ).toBeUndefined();
  },
);

it('status reports a value of the pause annotation that is neither true nor false', () => {
  const at = settled(world({ annotations: { 'k8slab.info/paused': 'yes' } }));
  expect(conditionOf(at, 'Stalled')).toMatchObject({
    status: 'False',
    reason: 'AnnotationIgnored',
  });
  expect(versionOf(at)).toBe(1);
});
