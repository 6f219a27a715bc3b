// Is a cause that leaves streams without a worker reported by an Event, once when it begins?
import { describe, expect, it } from '@jest/globals';
import type { EventText } from '../../../../src/core/decision.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { placementReasons } from '../../../../src/pool/reasons.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import { NOW, scaled, withSpec, withStreams, world } from '../../../support/pool-worlds.ts';

/** Of all decisions until the pool is at rest. */
function warnings(start: PoolWorld): readonly EventText[] {
  let at: PoolWorld = { ...start, ages: { ...start.ages, publishedMs: 10_000 } };
  const told: EventText[] = [];
  for (;;) {
    const decision = decidePool(at, NOW);
    if (decision.steps.length === 0) return told;
    told.push(...decision.steps.flatMap((step) => (step.do === 'event' ? [step.event] : [])));
    at = confirmed(carriedOut(at, decision));
  }
}

const causesIn = (start: PoolWorld): readonly EventText[] =>
  warnings(start).filter(({ reason }) => placementReasons.some((it) => it === reason));

const pool = settled(world({ streams: 4 }));
const cordon = { workers: { selector: { matchLabels: { app: 'worker' } }, cordoned: [0, 1] } };
const weighed = (...weights: readonly number[]): readonly object[] =>
  weights.map((weight, at) => ({ name: `s${at}`, weight }));

describe('a cause that leaves streams without a worker', () => {
  it.each<[string, PoolWorld, string]>([
    [
      'NoWorkers',
      scaled(pool, 0),
      '4 streams without a worker (s0, s1, s2 and 1 more): there is no worker',
    ],
    [
      'TooHeavy',
      withStreams(pool, weighed(0, 0, 0, 0, 101)),
      "1 stream without a worker (s4): needs 101, but a worker's whole capacity is 100",
    ],
    [
      'InsufficientCapacity',
      withStreams(pool, weighed(60, 60, 60, 0)),
      '1 stream without a worker (s2): needs 60',
    ],
    [
      'PinnedWorkerMissing',
      withStreams(pool, [{ name: 'new', ordinal: 9 }, { name: 's1' }]),
      '1 stream without a worker (new): ',
    ],
    ['NoWorkers', withSpec(pool, cordon), '4 streams without a worker (s0, s1, s2 and 1 more): '],
  ])('a cause that leaves streams without a worker is a Warning: %s', (reason, at, text) => {
    const message = expect.stringContaining(text);
    expect(causesIn(at)).toEqual([{ type: 'Warning', action: 'Assign', reason, message }]);
  });

  it('each of several causes is reported once, and a cause that lasts is not reported again', () => {
    const heavy = ['n0', 'n1'].map((name) => ({ name, weight: 101 }));
    const streams = [...heavy, { name: 's2' }, { name: 'pinned', ordinal: 9 }];
    const two = withStreams(pool, streams);
    expect(causesIn(two).map(({ reason }) => reason)).toEqual(['TooHeavy', 'PinnedWorkerMissing']);
    const more = withStreams(settled(two), [...streams, { name: 'more', weight: 103 }]);
    expect(causesIn(more)).toEqual([]);
  });

  it('a cause that comes again is reported again', () => {
    const heavy = weighed(0, 0, 0, 0, 101);
    const without = settled(withStreams(settled(withStreams(pool, heavy)), weighed(0, 0, 0, 0)));
    expect(causesIn(withStreams(without, heavy))).toHaveLength(1);
  });
});
