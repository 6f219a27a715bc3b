// Does a pool keep its promises over any history of lists, workers and lost ConfigMaps?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decidePool } from '../../../src/pool/decide.ts';
import { settled } from '../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  nothingPublished,
  scaled,
  slicesOf,
  streamNames,
  versionOf,
  withPod,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';
import { tries } from '../../support/tries.ts';

describe('over any history', () => {
  const followsAnyList = { removal: { allowEmpty: true } };
  const change = fc.oneof(
    fc.record({
      do: fc.constant('scale' as const),
      to: fc.integer({ min: 0, max: 7 }),
      ready: fc.boolean(),
    }),
    fc.record({
      do: fc.constant('streams' as const),
      count: fc.integer({ min: 0, max: 30 }),
      from: fc.integer({ min: 0, max: 10 }),
    }),
    fc.record({ do: fc.constant('ready' as const), ordinal: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ do: fc.constant('lose ConfigMap' as const) }),
    fc.record({ do: fc.constant('silence' as const) }),
  );

  it('every stream has exactly one worker or a reason, the version only grows, and the pool comes to rest', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 10 }), (changes) => {
        let at = settled(world({ streams: 10, workers: 3, spec: followsAnyList }));
        for (const next of changes) {
          const before = versionOf(at);
          if (next.do === 'scale') at = scaled(at, next.to, { isReady: next.ready });
          if (next.do === 'streams')
            at = withStreams(at, streamNames(next.count + next.from).slice(next.from));
          if (next.do === 'ready') at = withPod(at, next.ordinal, { isReady: true });
          if (next.do === 'lose ConfigMap') at = { ...at, published: nothingPublished };
          if (next.do === 'silence') at = { ...at, answers: {} };
          at = settled(at);
          expect(versionOf(at)).toBeGreaterThanOrEqual(before);
          const given = Object.values(jobsOf(at)).flat();
          const wanted = at.pool.spec.ok
            ? (at.pool.spec.value.streams ?? []).map(({ name }) => name)
            : [];
          expect([...given].sort()).toEqual(
            (at.targets[0]?.replicas === 0 ? [] : [...wanted]).sort(),
          );
          expect(new Set(given).size).toBe(given.length);
          // An hour later only the end of a conflict is reported.
          const later = settled(at, NOW + 3_600_000);
          expect(slicesOf(later)).toEqual(slicesOf(at));
          expect(decidePool(later, NOW + 7_200_000).steps).toEqual([]);
        }
      }),
      { numRuns: tries(70) },
    );
  });
});
