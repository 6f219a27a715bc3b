// What becomes of the streams of a removal that is held?
import { describe, expect, it } from '@jest/globals';
import { readAssignment, writeAssignment } from '../../../../src/api/assignment.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { explain } from '../../../../src/pool/plan/explain.ts';
import { planOf } from '../../../../src/pool/plan/plan.ts';
import { checkPreconditions } from '../../../../src/pool/preconditions.ts';
import { sizeWanted } from '../../../../src/pool/workers/size.ts';
import { confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  annotated,
  completedIn,
  completing,
  described,
  digestOf,
  emptied,
  next,
  pool,
  runs,
} from '../../../support/pool-removals.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  scaled,
  slicesOf,
  streamNames,
  versionOf,
  withSpec,
  withStreams,
} from '../../../support/pool-worlds.ts';

describe('the streams of a held removal', () => {
  it('held streams keep their weights, parameters and suspension', () => {
    const streams = [
      { name: 'heavy', weight: 60, parameters: { url: 'rtsp://a' } },
      { name: 'idle', weight: 10, suspend: true },
      { name: 'light' },
    ];
    const before = pool({ streams });
    const moved = settled(scaled(settled(withStreams(before, [])), 1));
    expect(runs(moved)).toEqual(['heavy', 'idle', 'light']);
    expect(slicesOf(moved).get('worker-0')).toMatchObject({
      weights: { heavy: 60, idle: 10 },
      parameters: { heavy: { url: 'rtsp://a' } },
      suspended: ['idle'],
    });
  });

  it('held streams move with the workers, and new streams start beside them', () => {
    const grown = settled(scaled(emptied(), 4));
    expect(Object.values(jobsOf(grown)).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    const renamed = settled(withStreams(grown, ['t0', 't1']));
    expect(runs(renamed)).toEqual([...streamNames(4), 't0', 't1']);
    expect(renamed.pool.status?.removal?.total).toBe(4);
  });

  it('held streams stay held while new streams come and go', () => {
    const renamed = settled(withStreams(pool(), ['t0', 't1', 't2']));
    expect(runs(renamed)).toEqual([...streamNames(4), 't0', 't1', 't2']);
    const fewer = settled(withStreams(renamed, ['t0']));
    expect(runs(fewer)).toEqual(runs(renamed));
    expect(fewer.pool.status?.removal?.message).toBe('6 of 7 streams would be removed');
    const confirmed = settled(annotated(fewer, digestOf(fewer)));
    expect(runs(confirmed)).toEqual(['t0']);
    expect([...slicesOf(confirmed).values()].flatMap(({ added = [] }) => added)).toEqual([]);
  });

  it('a removal is held of streams that came while an earlier one was held, too', () => {
    const spec = { removal: { maxPercent: 40 } };
    const renamed = settled(withStreams(pool({ streams: ['s0'], spec }), ['t0']));
    expect(runs(renamed)).toEqual(['s0', 't0']);
    // With s0 in the list again, all that it loses came later.
    expect(runs(settled(withStreams(renamed, ['s0', 'u0'])))).toEqual(['s0', 't0', 'u0']);
  });

  it('held streams are the last that lose their worker for lack of room', () => {
    const streams = streamNames(2).map((name) => ({ name, weight: 100 }));
    const more = ['t0', 't1'].map((name) => ({ name, weight: 100, priority: 9 }));
    const after = settled(withStreams(pool({ streams }), more));
    expect(runs(after)).toEqual(['s0', 's1']);
  });

  it('held streams count for the size with scaling Auto', () => {
    const workers = { targetRef: { kind: 'StatefulSet', name: 'worker' }, scaling: 'Auto' };
    const streams = streamNames(3).map((name) => ({ name, weight: 100 }));
    const bounds = { minReplicas: 1, maxReplicas: 9, scaleDownDelaySeconds: 0 };
    const spec = { workers: { ...workers, ...bounds } };
    const held = settled(withStreams(pool({ streams, workers: 3, spec }), []));
    expect(held.pool.status?.requiredReplicas).toBe(3);
    expect(sizeWanted(held).wanted).toBe(3);
  });

  it('held streams stay held over a pause', () => {
    const paused = settled(withSpec(withStreams(pool(), []), { paused: true }));
    expect(conditionOf(paused, 'Stalled')).toMatchObject({ reason: 'LargeRemoval' });
    expect(paused.pool.status?.plan?.total).toBe(0);
    expect(runs(settled(withSpec(paused, { paused: false })))).toEqual(streamNames(4));
  });

  it('held streams are held in several ConfigMaps as well', () => {
    const spec = { assignments: { shards: 2 } };
    const mounts = ['tv-assignments-0', 'tv-assignments-1'];
    const held = emptied({ spec, mounts });
    expect(runs(held)).toEqual(streamNames(4));
    expect(runs(settled(annotated(held, digestOf(held))))).toEqual([]);
  });

  it('a completed stream is not held, but its record stays while others are held', () => {
    const spec = { streamPolicy: { completion: 'Once' } };
    const at = pool({ spec });
    const all = settled(completing(at, streamNames(4)));
    expect(runs(settled(withStreams(all, ['t0'])))).toEqual(['t0']);
    const held = settled(withStreams(settled(completing(at, ['s0'])), []));
    expect(runs(held)).toEqual(['s1', 's2', 's3']);
    expect(held.pool.status?.removal?.message).toBe('3 of 3 streams would be removed');
    expect(completedIn(held)).toEqual(['s0']);
  });

  it('a held stream is explained, and a plan notes the removal', () => {
    const held = emptied();
    const decided = decidePool(held, NOW);
    const because = expect.arrayContaining([
      expect.stringMatching(
        /^it is no longer in the list, but keeps running: LargeRemoval: 4 of 4/,
      ),
    ]);
    expect(explain(held, decided.basis, 's1', NOW)).toMatchObject({ explanation: { because } });
    const checked = checkPreconditions(held);
    if (!checked.ok) throw new Error('it can be decided');
    const { notes, moves } = planOf({ before: held, after: held, checked, now: NOW });
    expect(notes).toEqual([
      expect.stringMatching(/^LargeRemoval: 4 of 4 streams would be removed/),
    ]);
    expect(moves).toEqual([]);
  });

  it('the streams that were added during a held removal are read back from the assignment', () => {
    const { assignment } = settled(withStreams(pool(), ['t0'])).published;
    if (assignment === undefined) throw new Error('nothing is published');
    expect([...assignment.workloads.values()].flatMap(({ added = [] }) => added)).toEqual(['t0']);
    expect(readAssignment(writeAssignment(assignment))).toEqual({ ok: true, assignment });
  });
});

describe('the streams of a held removal with handoff Exclusive', () => {
  const spec = { handoff: { type: 'Exclusive' } };
  const streams = [
    { name: 's0', weight: 20, parameters: { url: 'rtsp://a' } },
    { name: 's1' },
    { name: 's2' },
    { name: 's3', suspend: true },
  ];

  it('with Exclusive a held stream keeps its fields while it is between two workers', () => {
    const held = settled(withStreams(pool({ spec, streams, workers: 1 }), []));
    // The first worker has not yet confirmed that it stopped anything.
    const leaving = next(scaled(held, 4));
    const gone = [...slicesOf(leaving).values()].flatMap(({ releasing = [] }) => releasing);
    expect(gone.length).toBeGreaterThan(0);
    expect(next(leaving).pool.status?.removal?.total).toBe(4);
    const after = settled(confirmed(leaving));
    expect(runs(after)).toEqual(streamNames(4));
    const slices = [...slicesOf(after).values()];
    expect(slices.find(({ jobs }) => jobs.includes('s0'))).toMatchObject({
      weights: { s0: 20 },
      parameters: { s0: { url: 'rtsp://a' } },
    });
    expect(slices.flatMap(({ suspended = [] }) => suspended)).toEqual(['s3']);
  });

  it('with Exclusive a new stream that changes its worker does not end a held removal', () => {
    const held = settled(withStreams(pool({ spec, streams: ['s0'] }), ['t0', 't1', 't2']));
    const leaving = next(scaled(held, 3));
    const stopping = [...slicesOf(leaving).values()].flatMap(({ releasing = [] }) => releasing);
    expect(stopping).toHaveLength(1);
    expect(described(next(leaving))).toContain('s0');
    // The list loses that stream for a while.
    const placed = runs(leaving).filter((name) => name !== 's0');
    const back = withStreams(next(withStreams(leaving, placed)), ['t0', 't1', 't2']);
    expect(described(next(next(back)))).toContain('s0');
    expect(runs(settled(confirmed(back)))).toEqual(['s0', 't0', 't1', 't2']);
  });

  it('with Exclusive a removal ends when a stream is put back that was between two workers', () => {
    const leaving = next(scaled(pool({ spec, streams: ['s0', 's1'], workers: 1 }), 2));
    const [moving = ''] = [...slicesOf(leaving).values()].flatMap(
      ({ releasing = [] }) => releasing,
    );
    const held = next(withStreams(leaving, []));
    expect(held.pool.status?.removal?.total).toBe(1);
    // Nothing was published since: the operator cannot tell that the list lacked it.
    expect(versionOf(held)).toBe(versionOf(leaving));
    expect(runs(settled(confirmed(withStreams(held, [moving]))))).toEqual([moving]);
  });

  it('with Exclusive held streams are removed when the removal is confirmed', () => {
    const held = emptied({ spec, streams });
    expect(runs(settled(annotated(held, digestOf(held))))).toEqual([]);
  });
});
