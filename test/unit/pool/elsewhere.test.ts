// Does a stream that fails for long at one worker move to another one: once, in time, few at once?
import { describe, expect, it } from '@jest/globals';
import type { StreamReport } from '../../../src/api/reported-streams.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import { explain } from '../../../src/pool/plan/explain.ts';
import { planOf } from '../../../src/pool/plan/plan.ts';
import { checkPreconditions } from '../../../src/pool/preconditions.ts';
import { KEPT_AWAY_MS } from '../../../src/pool/streams/outcomes.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  scaled,
  slicesOf,
  streamNames,
  withPod,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const AFTER = 900;
const LONG_MS = AFTER * 1000;
const spec = { streamPolicy: { moveAfterSeconds: AFTER } };
const pool = settled(world({ streams: 6, spec }));

const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

/** The worker reports these streams as failing, for so long as the leader measured. */
function failing(
  at: PoolWorld,
  ordinal: number,
  forMs: Readonly<Record<string, number>>,
  state: StreamReport['state'] = 'Restarting',
): PoolWorld {
  const uid = at.pods[ordinal]?.uid ?? '';
  const answer = at.answers[uid];
  if (answer?.ok !== true) throw new Error(`worker-${ordinal} does not answer`);
  const names = Object.keys(forMs);
  const streams = Object.fromEntries(names.map((name) => [name, { state, restarts: 9 }]));
  const failingMs = { ...at.ages.failingMs, [uid]: new Map(Object.entries(forMs)) };
  return {
    ...at,
    answers: { ...at.answers, [uid]: { ok: true, report: { ...answer.report, streams } } },
    ages: { ...at.ages, failingMs },
  };
}

/** The streams that have moved did so this long ago. */
const later = (at: PoolWorld, ms: number): PoolWorld => {
  const moved = at.published.assignment?.movedFrom?.keys() ?? [];
  return { ...at, ages: { ...at.ages, movedMs: new Map([...moved].map((it) => [it, ms])) } };
};

const moved = (at: PoolWorld): Readonly<Record<string, string>> =>
  Object.fromEntries(at.published.assignment?.movedFrom ?? []);
const because = (at: PoolWorld, stream: string): readonly string[] => {
  const told = explain(at, decidePool(at, NOW).basis, stream, NOW);
  return told.ok ? told.explanation.because : [];
};

describe('a stream that has failed for moveAfterSeconds at its worker', () => {
  const due = failing(pool, 0, { s1: LONG_MS });
  const after = settled(due);

  it('a stream that failed for too long moves to another worker; no other stream moves, and the pool rests', () => {
    expect(jobsOf(after)).toEqual({
      'worker-0': ['s0', 's2'],
      'worker-1': ['s1', 's3', 's4', 's5'],
    });
    expect(after.published.change).toMatchObject({ moves: 1, reason: 'FailingStreamsMoved' });
    expect(moved(after)).toEqual({ s1: 'worker-0' });
    expect(decidePool(later(after, 1), NOW).steps).toEqual([]);
  });

  it('an event says which failing stream moves, from where to where, and why', () => {
    const told = decidePool(due, NOW).steps.flatMap((step) =>
      step.do === 'event' && step.event.reason === 'FailingStreamsMoved' ? [step.event] : [],
    );
    expect(told).toEqual([
      {
        ...{ type: 'Warning', reason: 'FailingStreamsMoved', action: 'Publish' },
        message:
          '1 stream moves to another worker (s1 from worker-0 to worker-1): it failed at its worker for 900 s (streamPolicy.moveAfterSeconds)',
      },
    ]);
  });

  it('a move of a failing stream is explained before and after it, and in a plan', () => {
    expect(because(failing(pool, 0, { s1: 5 }), 's1').at(-1)).toBe(
      'when it has failed here for 900 s, it moves to another worker (streamPolicy.moveAfterSeconds)',
    );
    expect(because(due, 's1')).toEqual([
      'it failed at worker-0 for too long (streamPolicy.moveAfterSeconds)',
    ]);
    expect(because(after, 's1').at(-1)).toBe(
      'it moved here because it failed at worker-0 (streamPolicy.moveAfterSeconds): for a day it does not return there and does not move for this reason again',
    );
    const checked = checkPreconditions(due);
    if (!checked.ok) throw new Error('it cannot be planned');
    expect(planOf({ before: due, after: due, checked, now: NOW }).moves).toEqual([
      {
        ...{ stream: 's1', from: 'worker-0', to: 'worker-1' },
        why: 'it failed at worker-0 for too long (streamPolicy.moveAfterSeconds)',
      },
    ]);
  });

  it.each<[string, PoolWorld]>([
    ['before moveAfterSeconds have passed', failing(pool, 0, { s1: LONG_MS - 1 })],
    ['where the pool does not set moveAfterSeconds', withSpec(due, { streamPolicy: {} })],
    ['while its worker is silent', silent(due)],
    ['while the list is invalid', withStreams(due, [...streamNames(6), 's0'])],
    ['where it is pinned', pinned(due)],
    ['after its worker reports it as running', failing(due, 0, { s1: LONG_MS }, 'Running')],
    ['under a new leader, which has not seen it fail', newLeader(due)],
  ])('a failing stream does not move %s', (_, at) => {
    expect(jobsOf(next(at))['worker-0']).toContain('s1');
  });

  it.each<[string, PoolWorld]>([
    ['has given up', failing(pool, 0, { s1: LONG_MS }, 'Failed')],
    ['may not move for balance', withSpec(due, { rebalance: { policy: 'WhenRequired' } })],
    [
      'is work that ends',
      withSpec(due, { streamPolicy: { ...spec.streamPolicy, completion: 'Once' } }),
    ],
  ])('a failing stream moves also where it %s', (_, at) => {
    expect(jobsOf(settled(at))['worker-1']).toContain('s1');
  });

  it('a pool is decided about again when the time of a failing or a moved stream is over', () => {
    expect(decidePool(failing(pool, 0, { s1: LONG_MS - 7_000 }), NOW).requeueAfterMs).toBe(7_000);
    expect(decidePool(later(after, 1_000), NOW).requeueAfterMs).toBe(KEPT_AWAY_MS - 1_000);
  });

  it('with handoff Exclusive a failing stream is released before another worker gets it', () => {
    const exclusive = settled(
      world({ streams: 6, spec: { ...spec, handoff: { type: 'Exclusive' } } }),
    );
    const taken = next(failing(exclusive, 0, { s1: LONG_MS }));
    expect(slicesOf(taken).get('worker-0')).toMatchObject({ releasing: ['s1'] });
    expect(jobsOf(taken)['worker-1']).not.toContain('s1');
    expect(taken.published.change?.reason).toBe('FailingStreamsMoved');
    const waiting = decidePool(taken, NOW).steps.filter(({ do: what }) => what === 'patch');
    expect(waiting).toEqual([]);
    const given = settled(confirmed(taken));
    expect(jobsOf(given)).toEqual(jobsOf(after));
    expect(given.published.change?.reason).toBe('HandoffContinued');
  });
});

describe('a stream that moved because it failed', () => {
  const after = settled(failing(pool, 0, { s1: LONG_MS }));

  it('a moved stream does not move again for a day, although it fails there as well', () => {
    const again = failing(later(after, KEPT_AWAY_MS - 1), 1, { s1: 10 * LONG_MS });
    expect(decidePool(again, NOW).steps.filter(({ do: what }) => what === 'patch')).toEqual([]);
  });

  it('a moved stream that fails there as well moves again after a day', () => {
    const again = next(failing(later(after, KEPT_AWAY_MS), 1, { s1: 10 * LONG_MS }));
    expect(moved(again)).toEqual({ s1: 'worker-1' });
    expect(jobsOf(again)['worker-0']).toContain('s1');
  });

  it('a moved stream counts at its present worker after a day, and the pool is balanced', () => {
    const over = settled(later(after, KEPT_AWAY_MS));
    expect(moved(over)).toEqual({});
    expect(Object.values(jobsOf(over)).map(({ length }) => length)).toEqual([3, 3]);
    expect(over.published.change?.reason).toBe('FailingStreamsSettled');
    expect(decidePool(over, NOW).steps).toEqual([]);
  });

  it('a moved stream is not carried back by a new leader, by scaling, or by a new list', () => {
    const { status: _, ...meta } = after.pool;
    const anew = newLeader({ ...after, pool: { ...meta, status: undefined } });
    expect(jobsOf(settled(confirmed(anew)))).toEqual(jobsOf(after));
    for (const at of [scaled(after, 3, { isReady: true }), withStreams(after, 9)]) {
      const there = settled(confirmed(at));
      expect(jobsOf(there)['worker-0']).not.toContain('s1');
      expect(moved(there)).toEqual({ s1: 'worker-0' });
    }
  });

  it('a move is forgotten when the stream leaves the list or moveAfterSeconds is unset', () => {
    expect(moved(settled(withStreams(after, ['s0', 's2', 's3'])))).toEqual({});
    const off = settled(withSpec(after, { streamPolicy: {} }));
    expect(moved(off)).toEqual({});
    expect(off.published.change?.reason).toBe('FailingStreamsSettled');
  });

  it('a moved stream does not return to the worker that it left empty when its pod is replaced', () => {
    const alone = settled(world({ streams: 2, spec }));
    const gone = settled(failing(alone, 0, { s0: LONG_MS }));
    expect(jobsOf(gone)).toEqual({ 'worker-0': [], 'worker-1': ['s0', 's1'] });
    const starting = settled(withPod(gone, 0, { uid: 'uid-0+', isReady: false }));
    const ready = settled(confirmed(withPod(starting, 0, { isReady: true })));
    for (const at of [starting, ready]) {
      expect(moved(at)).toEqual({ s0: 'worker-0' });
      expect(jobsOf(at)).toEqual(jobsOf(gone));
    }
  });

  it.each([
    ['a weight that no worker can carry', { weight: 150 }],
    ['a pin to a worker that is not there', { ordinal: 9 }],
  ])('a moved stream is not carried back after a mistake in its entry: %s', (_, mistake) => {
    const streams = streamNames(6).map((name) => ({ name, ...(name === 's1' && mistake) }));
    const kept = settled(withStreams(after, streams));
    for (const at of [kept, settled(withStreams(kept, 6))]) {
      expect(moved(at)).toEqual({ s1: 'worker-0' });
      expect(jobsOf(at)).toEqual(jobsOf(after));
    }
  });

  it('a moved stream stays where it is when its first worker leaves the pool', () => {
    const three = settled(world({ streams: 6, workers: 3, spec }));
    const gone = settled(failing(three, 2, { s4: LONG_MS }));
    const two = settled(scaled(gone, 2));
    expect(moved(two)).toEqual({});
    const before = Object.entries(jobsOf(gone)).find(([, jobs]) => jobs.includes('s4'))?.[0];
    expect(jobsOf(two)[before ?? '']).toContain('s4');
  });
});

describe('many streams that fail', () => {
  const many = settled(world({ streams: 20, spec }));
  const all = (at: PoolWorld, forMs = LONG_MS): PoolWorld =>
    failing(
      at,
      0,
      Object.fromEntries((jobsOf(at)['worker-0'] ?? []).map((it, index) => [it, forMs + index])),
    );

  it('failing streams move a tenth at a time, the longest failing first', () => {
    const first = settled(all(many));
    expect(moved(first)).toEqual({ s8: 'worker-0', s9: 'worker-0' });
    const early = all(later(first, LONG_MS - 1_000));
    expect(moved(next(early))).toEqual(moved(first));
    expect(decidePool(early, NOW).requeueAfterMs).toBe(1_000);
    const second = settled(all(later(first, LONG_MS)));
    expect(Object.keys(moved(second)).sort()).toEqual(['s6', 's7', 's8', 's9']);
    expect(because(early, 's3').at(-1)).toBe(
      'it will move to another worker, but waits: too many streams have moved within 900 s (streamPolicy.moveAfterSeconds)',
    );
  });

  it('failing streams do not wait for one that has no room elsewhere, and its explanation says so', () => {
    const streams = [
      { name: 'a', weight: 90 },
      { name: 'b', weight: 90 },
      { name: 'c', weight: 10 },
    ];
    const full = settled(world({ streams, spec }));
    const [here = 0] = [0, 1].filter((it) => jobsOf(full)[`worker-${it}`]?.includes('c') === true);
    const [a = ''] = jobsOf(full)[`worker-${here}`] ?? [];
    const both = failing(full, here, { [a]: 2 * LONG_MS, c: LONG_MS });
    expect(Object.keys(moved(settled(both)))).toEqual(['c']);
    expect(because(both, a).at(-1)).toBe(
      'it stays although it fails: no other worker has free room for it (streamPolicy.moveAfterSeconds)',
    );
    expect(because(pinned(failing(pool, 0, { s1: 1 })), 's1').at(-1)).toBe(
      'it stays although it fails: it is pinned (streamPolicy.moveAfterSeconds)',
    );
  });
});

function silent(at: PoolWorld): PoolWorld {
  const answer = at.answers['uid-0'];
  const last = answer?.ok === true ? answer.report : undefined;
  if (last === undefined) throw new Error('it does not answer');
  const now = { ok: false, reason: 'connect ECONNREFUSED', last } as const;
  return { ...at, answers: { ...at.answers, 'uid-0': now } };
}

function pinned(at: PoolWorld): PoolWorld {
  const streams = streamNames(6).map((name) => (name === 's1' ? { name, ordinal: 0 } : { name }));
  return withStreams(at, streams);
}

function newLeader(at: PoolWorld): PoolWorld {
  const { failingMs: _, movedMs: __, ...ages } = at.ages;
  return { ...at, ages };
}
