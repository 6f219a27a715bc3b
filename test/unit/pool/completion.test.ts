// Is work that ends run once: recorded, taken from its worker, and never given again while its name
// is in the list?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAssignment, writeAssignment } from '../../../src/api/assignment.ts';
import type { StreamReport } from '../../../src/api/reported-streams.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import { explain } from '../../../src/pool/plan/explain.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  nothingPublished,
  scaled,
  slicesOf,
  streamNames,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const once = { streamPolicy: { completion: 'Once' } };
const pool = settled(world({ streams: 4, spec: once }));

const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

/** The worker reports these states, with the version of its slice, or another version. */
function telling(
  at: PoolWorld,
  ordinal: number,
  streams: Readonly<Record<string, StreamReport['state']>>,
  version?: number,
): PoolWorld {
  const uid = at.pods[ordinal]?.uid ?? '';
  const answer = at.answers[uid];
  if (answer?.ok !== true) throw new Error(`worker-${ordinal} does not answer`);
  const told = Object.fromEntries(
    Object.entries(streams).map(([name, state]) => [name, { state, restarts: 0 }]),
  );
  const report = { ...answer.report, streams: told, ...(version !== undefined && { version }) };
  return { ...at, answers: { ...at.answers, [uid]: { ok: true, report } } };
}

const recordOf = (at: PoolWorld): readonly string[] =>
  [...(at.published.assignment?.completed?.keys() ?? [])].sort();

const allJobs = (at: PoolWorld): readonly string[] => Object.values(jobsOf(at)).flat().sort();

const completed = (at: PoolWorld, ordinal: number, ...names: readonly string[]): PoolWorld =>
  settled(telling(at, ordinal, Object.fromEntries(names.map((name) => [name, 'Completed']))));

describe('a stream that its worker reports as completed', () => {
  const after = completed(pool, 0, 's1');

  it('a completed stream is recorded and leaves its worker, and no other stream moves', () => {
    expect(recordOf(after)).toEqual(['s1']);
    expect(jobsOf(after)).toEqual({ 'worker-0': ['s0'], 'worker-1': ['s2', 's3'] });
    expect(after.published.change?.reason).toBe('StreamsCompleted');
  });

  it('a completed stream is counted as completed, and no longer as assigned', () => {
    expect(after.pool.status?.streams).toMatchObject({
      ...{ total: 4, assigned: 3, unassigned: 0, completed: 1 },
    });
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
    expect(conditionOf(after, 'Complete')).toMatchObject({
      ...{ status: 'False', reason: 'StreamsOpen', message: '1 of 4 streams is completed' },
    });
    const explained = explain(after, decidePool(after, NOW).basis, 's1', NOW);
    expect(explained.ok && explained.explanation.state).toBe('Completed');
  });

  it('a completed stream goes to no worker again after a scale, a lost status or a restart', () => {
    const { status: _, ...forgotten } = after.pool;
    const restarted = { ...after, answers: {}, pool: { ...forgotten, status: undefined } };
    for (const at of [scaled(after, 3), scaled(after, 1), restarted])
      expect(allJobs(settled(confirmed(at)))).toEqual(['s0', 's2', 's3']);
  });

  it('a completed stream is forgotten when its name leaves the list, and is new when it comes back', () => {
    const without = settled(withStreams(after, ['s0', 's2', 's3']));
    expect(recordOf(without)).toEqual([]);
    expect(allJobs(settled(withStreams(without, 4)))).toEqual(['s0', 's1', 's2', 's3']);
  });

  it('a completed stream frees its weight for a stream that had no room', () => {
    const heavy = ['a', 'b', 'c'].map((name) => ({ name, weight: 60 }));
    const full = settled(world({ streams: heavy, spec: once }));
    expect(full.pool.status?.streams?.unassigned).toBe(1);
    const [job = ''] = jobsOf(full)['worker-0'] ?? [];
    expect(completed(full, 0, job).pool.status?.streams?.unassigned).toBe(0);
  });

  it('a completed stream stays recorded while the list is invalid', () => {
    const bad = [...streamNames(4), 's0'];
    expect(recordOf(settled(withStreams(after, bad)))).toEqual(['s1']);
  });

  it('a completed stream runs again after completion is set to Never', () => {
    const never = settled(withSpec(after, { streamPolicy: { completion: 'Never' } }));
    expect(allJobs(never)).toEqual(['s0', 's1', 's2', 's3']);
    expect(conditionOf(never, 'Complete')).toBeUndefined();
  });

  it('a completion is recorded from the last report of a worker that is silent now', () => {
    const told = telling(pool, 0, { s1: 'Completed' });
    const uid = told.pods[0]?.uid ?? '';
    const answer = told.answers[uid];
    if (answer?.ok !== true) throw new Error('it does not answer');
    const silent = { ok: false, reason: 'refused', last: answer.report } as const;
    expect(recordOf(next({ ...told, answers: { ...told.answers, [uid]: silent } }))).toEqual([
      's1',
    ]);
  });
});

describe('a completed stream that a user wants to run again', () => {
  const restarting = (at: PoolWorld, text: string): PoolWorld => {
    const annotations = { ...at.pool.meta.annotations, 'k8slab.info/restart': text };
    return { ...at, pool: { ...at.pool, meta: { ...at.pool.meta, annotations } } };
  };
  const done = completed(pool, 0, 's1');

  it('a completed stream that a user restarts runs once more, and is then recorded with the token', () => {
    const again = settled(restarting(done, 's1 t1'));
    expect(allJobs(again)).toContain('s1');
    const worker = again.pods.findIndex(({ name }) =>
      slicesOf(again).get(name)?.jobs.includes('s1'),
    );
    const after = completed(again, worker, 's1');
    expect(after.published.assignment?.completed).toEqual(new Map([['s1', 't1']]));
    expect(decidePool(after, NOW).steps).toEqual([]);
    expect(allJobs(settled(restarting(after, '')))).not.toContain('s1');
  });

  it('a completed stream stays completed when another one is restarted', () => {
    expect(allJobs(settled(restarting(done, 's0 t1')))).not.toContain('s1');
  });
});

describe('a worker that has less to do than others', () => {
  it('a worker with less work gets no running stream of another worker, which would begin anew', () => {
    const idle = completed(pool, 0, 's0', 's1');
    expect(jobsOf(idle)).toEqual({ 'worker-0': [], 'worker-1': ['s2', 's3'] });
    const another = settled(confirmed(scaled(idle, 3, { isReady: true })));
    expect(jobsOf(another)['worker-1']).toEqual(['s2', 's3']);
  });
});

describe('a worker of a pool whose work ends', () => {
  it('a worker is watched while it has work that ends', () => {
    const idle = completed(pool, 0, 's0', 's1');
    const watched = decidePool(idle, NOW).probes;
    expect(watched?.map(({ isWatched = false }) => isWatched)).toEqual([false, true]);
  });

  it('a worker completes no stream of another worker', () => {
    expect(recordOf(next(telling(pool, 0, { s2: 'Completed', ghost: 'Completed' })))).toEqual([]);
  });

  it('a worker completes nothing with a report of an older version than that of its slice', () => {
    expect(recordOf(next(telling(pool, 0, { s1: 'Completed' }, 0)))).toEqual([]);
  });

  it('a worker completes nothing where completion is Never', () => {
    const never = settled(world({ streams: 4 }));
    const told = telling(never, 0, { s1: 'Completed' });
    expect(recordOf(next(told))).toEqual([]);
    expect(allJobs(next(told))).toHaveLength(4);
  });
});

describe('a pool whose work is done', () => {
  it('a pool whose streams are all completed is Complete', () => {
    const told = telling(completed(pool, 0, 's0', 's1'), 1, { s2: 'Completed', s3: 'Completed' });
    const after = settled(told);
    expect(conditionOf(after, 'Complete')).toMatchObject({
      ...{ status: 'True', reason: 'AllCompleted', message: '4 of 4 streams are completed' },
    });
    expect(allJobs(after)).toEqual([]);
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
  });

  it('a pool is Complete with the reason SomeFailed when its other streams have failed for good', () => {
    const rest = telling(completed(pool, 0, 's0', 's1'), 1, { s2: 'Completed', s3: 'Failed' });
    const after = settled(rest);
    const failed = next(telling(after, 1, { s3: 'Failed' }));
    expect(conditionOf(failed, 'Complete')).toMatchObject({
      ...{
        status: 'True',
        reason: 'SomeFailed',
        message: '3 of 4 streams are completed, 1 failed',
      },
    });
  });

  it('a pool without streams is not Complete', () => {
    const empty = settled(world({ streams: [], spec: once }));
    expect(conditionOf(empty, 'Complete')?.status).toBe('False');
  });
});

/** All events about lost completions until the pool is at rest again. */
function lossesSaid(from: PoolWorld): readonly string[] {
  let at: PoolWorld = { ...from, ages: { ...from.ages, publishedMs: 10_000 } };
  const said: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const decision = decidePool(at, NOW);
    for (const step of decision.steps)
      if (step.do === 'event' && step.event.reason === 'CompletionsLost')
        said.push(step.event.message);
    at = confirmed(carriedOut(at, decision));
  }
  return said;
}

describe('a ConfigMap that is lost', () => {
  it('a lost ConfigMap loses the record of completions, and an event says how many streams may run again', () => {
    const after = completed(pool, 0, 's1');
    const lost = { ...after, published: nothingPublished, highestSeen: 2 };
    expect(allJobs(settled(lost))).toEqual(['s0', 's1', 's2', 's3']);
    expect(lossesSaid(lost)).toEqual([
      '1 completed stream may run again: the record was lost with the ConfigMap',
    ]);
  });
});

describe('a record that is restored from an earlier version, and status with it', () => {
  const before = completed(pool, 0, 's1');
  const after = completed(before, 1, 's2', 's3');
  const highestSeen = after.published.assignment?.version ?? 0;
  const why = 'may run again: the record is from an earlier version';

  it.each<[string, number | undefined, readonly string[]]>([
    ['how many may run again', 3, [`2 completed streams ${why}`]],
    ['that some may, when no operator has seen how many', undefined, [`completed streams ${why}`]],
    ['nothing when none is lost', 1, []],
  ])(
    'after a restore of an older record of completions, an event says %s',
    (_, completedSeen, said) => {
      expect(lossesSaid({ ...before, highestSeen, completedSeen })).toEqual(said);
    },
  );

  it('completions that workers still report are added to a restored record', () => {
    const told = telling(before, 1, { s2: 'Completed' }, highestSeen);
    const again = settled({ ...told, highestSeen, completedSeen: 3 });
    expect(recordOf(again)).toEqual(['s1', 's2']);
    expect(allJobs(again)).toEqual(['s0', 's3']);
  });

  it('no event reports lost completions where no work ends', () => {
    const never = settled(world({ streams: 4 }));
    expect(lossesSaid({ ...never, highestSeen })).toEqual([]);
  });
});

describe('completions that workers still report when the record is lost', () => {
  const told = telling(pool, 0, { s1: 'Completed', s2: 'Completed' });

  it('after the record is lost, completions are taken from workers that have these streams', () => {
    const lost = { ...told, published: nothingPublished, highestSeen: 1 };
    expect(recordOf(next({ ...lost, ages: { ...lost.ages, publishedMs: 10_000 } }))).toEqual([
      's1',
    ]);
  });

  it('a reported completion is no proof in a pool that has published nothing yet', () => {
    const { status: _, ...pooled } = told.pool;
    const fresh = { ...told, pool: { ...pooled, status: undefined }, published: nothingPublished };
    expect(recordOf(next({ ...fresh, highestSeen: 0 }))).toEqual([]);
  });
});

describe('the record', () => {
  it('the record of completions is divided among the shards by name, and all of it is read', () => {
    const shards = { assignments: { shards: 3 }, ...once };
    const mounts = [0, 1, 2].map((index) => `tv-assignments-${index}`);
    const many = settled(world({ streams: 40, workers: 4, spec: shards, mounts }));
    const names = jobsOf(many)['worker-1'] ?? [];
    const after = completed(many, 1, ...names);
    expect(recordOf(after)).toEqual([...names].sort());
    const files = after.published.shards.map(({ read }) =>
      read?.ok === true ? [...(read.assignment.completed?.keys() ?? [])] : [],
    );
    expect(files.filter((file) => file.length > 0).length).toBeGreaterThan(1);
    expect(files.flat().sort()).toEqual([...names].sort());
    expect(decidePool(after, NOW).steps).toEqual([]);
  });

  it('a record of completions can be read again whatever the names are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[!-~][ -~]{0,8}[!-~]$/)), (names) => {
        const assignment = {
          ...{ workloads: new Map(), version: 7 },
          ...(names.length > 0 && {
            completed: new Map(names.map((name, index) => [name, index % 2 === 0 ? '' : name])),
          }),
        };
        expect(readAssignment(writeAssignment(assignment))).toEqual({ ok: true, assignment });
      }),
    );
  });

  it('a record of completions that is not a mapping of stream to text is refused', () => {
    expect(readAssignment('workloads: {}\nversion: 1\ncompleted: 7\n')).toMatchObject({
      problem: '`completed` is not a mapping of stream to text',
    });
  });
});

describe('over any history', () => {
  it('over any history no completed stream is in a slice while its name is in the list', () => {
    const names = streamNames(6);
    const action = fc.oneof(
      fc.record({ do: fc.constant('complete' as const), worker: fc.nat(3), stream: fc.nat(5) }),
      fc.record({ do: fc.constant('scale' as const), to: fc.integer({ min: 1, max: 4 }) }),
      fc.record({
        do: fc.constant('list' as const),
        names: fc.subarray([...names], { minLength: 1 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 12 }), fc.boolean(), (actions, isExclusive) => {
        const handoff = { handoff: { type: isExclusive ? 'Exclusive' : 'AtLeastOnce' } };
        let at = settled(world({ streams: names, spec: { ...once, ...handoff } }));
        let list: readonly string[] = names;
        const done = new Set<string>();
        for (const it of actions) {
          if (it.do === 'list') {
            list = it.names;
            at = withStreams(at, list);
          } else if (it.do === 'scale') at = scaled(at, it.to);
          else {
            const name = names[it.stream] ?? '';
            const worker = at.pods.findIndex((pod) => pod.name === `worker-${it.worker}`);
            if (slicesOf(at).get(`worker-${it.worker}`)?.jobs.includes(name) !== true) continue;
            at = telling(at, worker, { [name]: 'Completed' });
            done.add(name);
          }
          at = settled(at);
          // A stream whose removal is held runs outside the list: its end is not recorded.
          for (const name of done) if (!list.includes(name)) done.delete(name);
          for (const name of done) expect(allJobs(at)).not.toContain(name);
        }
      }),
      { numRuns: 60 },
    );
  });
});
