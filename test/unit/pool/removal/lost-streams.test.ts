// Is a list that loses too many streams at once held until a user confirms it?
import { describe, expect, it } from '@jest/globals';
import { parseSwarmPool } from '../../../../src/api/validate.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { checkPreconditions } from '../../../../src/pool/preconditions.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled } from '../../../support/pool-decisions.ts';
import { annotated, digestOf, emptied, pool, runs } from '../../../support/pool-removals.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  nothingPublished,
  streamNames,
  versionOf,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

describe('a list that loses all of its streams', () => {
  const before = pool();
  const held = emptied();

  it('a list that loses all of its streams changes nothing of what is published', () => {
    expect(jobsOf(held)).toEqual(jobsOf(before));
    expect(versionOf(held)).toBe(versionOf(before));
  });

  it('a held removal is reported by conditions, status and one Event, with the way to confirm it', () => {
    const message = expect.stringMatching(
      /^4 of 4 streams would be removed \(s0, s1, s2 and 1 more\): the list has lost all published streams.*swarmctl confirm-removal tv.*k8slab.info\/confirm-removal=[0-9a-f]{8} .*spec.removal.allowEmpty: true$/,
    );
    const asWanted = { reason: 'LargeRemoval', message };
    expect(conditionOf(held, 'Ready')).toMatchObject({ status: 'False', ...asWanted });
    expect(conditionOf(held, 'Stalled')).toMatchObject({ status: 'True', ...asWanted });
    expect(held.pool.status?.removal).toEqual({
      total: 4,
      digest: expect.stringMatching(/^[0-9a-f]{8}$/),
      message: '4 of 4 streams would be removed',
    });
    expect(held.pool.status?.streams).toMatchObject({ total: 4, assigned: 4, unassigned: 0 });
    const { steps } = decidePool(withStreams(before, []), NOW);
    expect(steps.filter((step) => step.do === 'event')).toEqual([
      expect.objectContaining({ event: expect.objectContaining({ type: 'Warning', ...asWanted }) }),
    ]);
    expect(decidePool(held, NOW).steps).toEqual([]);
  });

  it.each<[string, (at: PoolWorld) => PoolWorld]>([
    ['spec.removal.allowEmpty', (at) => withSpec(at, { removal: { allowEmpty: true } })],
    ['the annotation with its digest', (at) => annotated(at, digestOf(at))],
  ])('a held removal is followed once it is confirmed by %s', (_, confirm) => {
    const after = settled(confirm(held));
    expect(runs(after)).toEqual([]);
    expect(after.pool.status?.removal).toBeUndefined();
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
    expect(conditionOf(after, 'Stalled')?.status).toBe('False');
  });

  it('a held removal ends when the streams are put back', () => {
    const after = settled(withStreams(held, 4));
    expect(jobsOf(after)).toEqual(jobsOf(before));
    expect(versionOf(after)).toBe(versionOf(before));
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
  });

  it.each([
    ['12345678', 'The annotation is 12345678, which confirms another removal'],
    ['everything', 'The annotation is something else, which confirms another removal'],
  ])('a held removal is not confirmed by the digest %s, and Stalled says so', (digest, text) => {
    const after = settled(annotated(held, digest));
    expect(runs(after)).toEqual(streamNames(4));
    expect(conditionOf(after, 'Stalled')?.message).toContain(text);
  });

  it.each<[string, PoolWorld]>([
    ['of a new pool', world({ streams: [] })],
    ['of a pool whose publication is lost', { ...held, published: nothingPublished }],
  ])('an empty list %s is followed', (_, at) => {
    expect(conditionOf(settled(at), 'Stalled')?.status).toBe('False');
    expect(runs(settled(at))).toEqual([]);
  });

  it('a held removal does not keep a pool from being deleted', () => {
    const { meta } = held.pool;
    const at = { ...held, pool: { ...held.pool, meta: { ...meta, isDeleting: true as const } } };
    expect(decidePool(at, NOW).steps).toEqual([]);
  });
});

describe('spec.removal.maxPercent', () => {
  const spec = { removal: { maxPercent: 50 } };

  it.each([
    [2, 'followed', ['s0', 's1']],
    [1, 'held', ['s0', 's1', 's2', 's3']],
  ])('with maxPercent 50 a removal that leaves %i of 4 streams is %s', (left, _, wanted) => {
    expect(runs(settled(withStreams(pool({ spec }), left)))).toEqual(wanted);
  });

  it('a removal beyond maxPercent is reported, and its digest confirms it', () => {
    const held = settled(withStreams(pool({ spec }), 1));
    expect(conditionOf(held, 'Ready')?.message).toContain(
      '3 of 4 streams would be removed (s1, s2, s3): that is more than 50 percent at once (spec.removal.maxPercent)',
    );
    expect(runs(settled(annotated(held, digestOf(held))))).toEqual(['s0']);
  });

  it('a removal beyond maxPercent stays held although other streams are added', () => {
    const names = ['s0', ...streamNames(12, 't')];
    const held = settled(withStreams(pool({ spec }), names));
    const later = settled(withStreams(held, [...names, 'u0']));
    expect(later.pool.status?.removal?.total).toBe(3);
    expect(runs(later)).toContain('s3');
  });

  it('a removal beyond maxPercent stays held when the list has some of its streams again', () => {
    const renamed = settled(withStreams(pool({ spec }), ['t0', 't1', 't2']));
    // Four of seven leave, and the two that come make them four of nine.
    const held = settled(withStreams(renamed, ['s1', 's2', 's3', 'u0', 'u1']));
    expect(runs(held)).toEqual([...streamNames(4), 't0', 't1', 't2', 'u0', 'u1']);
    expect(conditionOf(held, 'Ready')?.message).toContain(
      '4 of 9 streams would be removed (s0, t0, t1 and 1 more): that is more than 50 percent at once (spec.removal.maxPercent), measured by the streams that were published before',
    );
    const all = [...streamNames(4), 't0', 'u0', 'u1'];
    expect(runs(settled(withStreams(held, all)))).toEqual(all);
  });

  it.each([0, 101, 1.5])('maxPercent %d is refused', (maxPercent) => {
    const at = world({ spec: { removal: { maxPercent } } });
    expect(checkPreconditions(at)).toMatchObject({ ok: false, blocked: { reason: 'InvalidSpec' } });
  });

  it('maxPercent has no default, and allowEmpty is false by default', () => {
    const { spec: parsed } = parseSwarmPool({
      ...{ apiVersion: '', kind: '', metadata: { name: 'tv' } },
      spec: { workers: { selector: { matchLabels: { app: 'worker' } } } },
    });
    expect(parsed.ok && parsed.value.removal).toEqual({ allowEmpty: false });
  });
});
