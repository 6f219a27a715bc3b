// Is a list that loses too many streams at once held until a user confirms it?
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placedIn, readAssignment, writeAssignment } from '../../../src/api/assignment.ts';
import { parseSwarmPool } from '../../../src/api/validate.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import { explain } from '../../../src/pool/plan/explain.ts';
import { planOf } from '../../../src/pool/plan/plan.ts';
import { checkPreconditions } from '../../../src/pool/preconditions.ts';
import { sizeWanted } from '../../../src/pool/workers/size.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import {
  carriedOut,
  conditionOf,
  confirmed,
  jobsOf,
  NOW,
  nothingPublished,
  type Shape,
  scaled,
  settled,
  slicesOf,
  streamNames,
  versionOf,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const CONFIRM = 'k8slab.info/confirm-removal';

const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

function annotated(at: PoolWorld, digest: string | undefined): PoolWorld {
  const { annotations: before, ...meta } = at.pool.meta;
  const annotations = { ...before, ...(digest !== undefined && { [CONFIRM]: digest }) };
  return { ...at, pool: { ...at.pool, meta: { ...meta, annotations } } };
}

const runs = (at: PoolWorld): readonly string[] =>
  [...slicesOf(at).values()].flatMap(placedIn).sort();

/** Also those that are on their way from one worker to another. */
const described = (at: PoolWorld): readonly string[] =>
  [...slicesOf(at).values()].flatMap(({ releasing = [], weights = {}, ...slice }) => [
    ...placedIn(slice),
    ...releasing.filter((name) => name in weights),
  ]);

const completedIn = (at: PoolWorld): readonly string[] => [
  ...(at.published.assignment?.completed?.keys() ?? []),
];

const digestOfNames = (names: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 8);

const digestOf = (at: PoolWorld): string => at.pool.status?.removal?.digest ?? '';

/** The workers report these streams as completed. */
function completing(at: PoolWorld, names: readonly string[]): PoolWorld {
  const answers = [...slicesOf(at)].map(([worker, { version, jobs }]) => {
    const uid = at.pods.find(({ name }) => name === worker)?.uid ?? '';
    const streams = Object.fromEntries(
      jobs
        .filter((job) => names.includes(job))
        .map((job) => [job, { state: 'Completed' as const, restarts: 0 }]),
    );
    return [uid, { ok: true as const, report: { version, jobs, podUid: uid, streams } }] as const;
  });
  return { ...at, answers: Object.fromEntries(answers) };
}

const pool = (shape: Shape = {}): PoolWorld => settled(world({ streams: 4, ...shape }));

const emptied = (shape: Shape = {}): PoolWorld => settled(withStreams(pool(shape), []));

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
    expect(explain(held, decided.basis, 's1')).toMatchObject({ explanation: { because } });
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

describe('any history of lists, workers and annotations', () => {
  // A list of other names loses all earlier streams.
  const names = fc.oneof(
    ...['s', 't', 'u'].map((prefix) => fc.shuffledSubarray([...streamNames(5, prefix)])),
    fc.shuffledSubarray([...streamNames(5), ...streamNames(5, 't')]),
  );
  const action = fc.oneof(
    { weight: 4, arbitrary: names.map((list) => ({ do: 'list' as const, list })) },
    { weight: 2, arbitrary: fc.constant({ do: 'list' as const, list: [] }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('scale' as const), to: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'confirm' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'confirm another' as const }) },
    { weight: 6, arbitrary: fc.constant({ do: 'decide' as const }) },
    { weight: 4, arbitrary: fc.constant({ do: 'answer' as const }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('complete' as const), which: fc.nat(9) }) },
  );

  const percent = { removal: { maxPercent: 40 } };
  const once = { streamPolicy: { completion: 'Once' } };

  it.each<[string, Shape, number | undefined]>([
    ['Overlap', {}, undefined],
    ['Overlap, at most 40 percent', { spec: percent }, 40],
    ['completion Once', { spec: once }, undefined],
    ['completion Once, at most 40 percent', { spec: { ...once, ...percent } }, 40],
    ['Exclusive', { spec: { handoff: { type: 'Exclusive' } } }, undefined],
  ])('no removal that needs a confirmation happens without one (%s)', (_, shape, maxPercent) => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const start = world(shape);
        let at: PoolWorld = { ...start, ages: { ...start.ages, publishedMs: 10_000 } };
        let held = new Set<string>();
        /** The list lost them between two workers: the operator forgets them. */
        let forgotten = new Set<string>();
        /** The version in which a confirmed removal was followed last. */
        let confirmedAt: number | undefined;
        for (const one of actions) {
          if (one.do === 'list') at = withStreams(at, one.list);
          if (one.do === 'scale') at = scaled(at, one.to + 1);
          if (one.do === 'confirm') at = annotated(at, digestOf(at));
          if (one.do === 'confirm another') at = annotated(at, '00000000');
          if (one.do === 'answer') at = confirmed(at);
          if (one.do === 'complete') at = completing(at, runs(at).slice(one.which, one.which + 1));
          if (one.do !== 'decide') continue;
          const published = new Set(described(at));
          const list = at.pool.spec.ok ? (at.pool.spec.value.streams ?? []) : [];
          const listed = new Set(list.map(({ name }) => name));
          const lost = [...published].filter((name) => !listed.has(name)).sort();
          const stopping = [...slicesOf(at).values()].flatMap(({ releasing = [] }) => releasing);
          const done = completedIn(at);
          const left = [...lost, ...done.filter((name) => !listed.has(name))].sort();
          const all = new Set([...published, ...stopping, ...done]);
          const kept = [...all].filter((name) => listed.has(name)).length;
          const isLarge =
            kept === 0 ||
            (maxPercent !== undefined && lost.length * 100 > maxPercent * (lost.length + kept));
          const digest = digestOfNames([
            ...left,
            ...(confirmedAt === undefined ? [] : [` ${confirmedAt}`]),
          ]);
          const isConfirmed = at.pool.meta.annotations[CONFIRM] === digest;
          // Only a confirmation ends a held removal, or a stream that is put back. A forgotten
          // one was published too: with it the list has not lost all (docs/limits.md).
          const isStill =
            held.size > 0 && [...held, ...forgotten].every((name) => !listed.has(name));
          const needsIt = lost.length > 0 && (isLarge || isStill);
          held = new Set(!isConfirmed && needsIt ? left : []);
          forgotten = new Set(stopping.filter((name) => !listed.has(name) && !held.has(name)));
          const version = versionOf(at);
          at = next(at);
          if (isConfirmed && needsIt && versionOf(at) > version) confirmedAt = versionOf(at);
          const after = new Set([...described(at), ...completedIn(at)]);
          expect([...held].filter((name) => !after.has(name))).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });
});
