// Does a pool report which of its streams fail, by the reports of its workers, and only when that
// changes?
import { describe, expect, it } from '@jest/globals';
import type { WorkerReport } from '../../../../src/api/report.ts';
import type { StreamReport } from '../../../../src/api/reported-streams.ts';
import type { EventText } from '../../../../src/core/decision.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { listStreams } from '../../../../src/pool/plan/stream-list.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import { conditionOf, NOW, world } from '../../../support/pool-worlds.ts';

type Told = Readonly<Record<string, Partial<StreamReport>>>;

const since = (minutes: number): string =>
  `${new Date(NOW - minutes * 60_000).toISOString().slice(0, 19)}Z`;

/** What each worker reports besides its version and jobs. */
const telling = (
  at: PoolWorld,
  told: readonly (Told | undefined)[],
  more: Partial<WorkerReport> = {},
): PoolWorld => ({
  ...at,
  answers: Object.fromEntries(
    at.pods.map(({ uid }, ordinal) => {
      const answer = at.answers[uid];
      if (answer?.ok !== true) throw new Error(`worker-${ordinal} does not answer`);
      const { streams: _, ...report } = answer.report;
      const streams = told[ordinal];
      const read = Object.entries(streams ?? {}).map(([name, stream]) => [
        name,
        { state: 'Restarting', restarts: 3, ...stream },
      ]);
      return [
        uid,
        {
          ok: true,
          report: {
            ...report,
            ...(streams !== undefined && { streams: Object.fromEntries(read), ...more }),
          },
        },
      ];
    }),
  ),
});

/** Two workers that report their streams: worker-0 has s0 and s1, worker-1 has s2 and s3. */
const pool = (spec: object = {}, streams: number | readonly object[] = 4): PoolWorld => {
  const rest = settled(world({ streams, spec: { ...spec } }));
  return next(telling(rest, [{}, {}]));
};

const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

const eventsOf = (at: PoolWorld): readonly EventText[] =>
  decidePool(at, NOW).steps.flatMap((step) => (step.do === 'event' ? [step.event] : []));

const failing = (at: PoolWorld) => at.pool.status?.failing;

describe('a pool whose workers report that all streams run', () => {
  it('StreamsHealthy is True when workers report that all streams run', () => {
    expect(conditionOf(pool(), 'StreamsHealthy')).toMatchObject({
      status: 'True',
      reason: 'NoneFailing',
    });
    expect(pool().pool.status?.streams).toMatchObject({ failing: 0, completed: 0 });
  });
});

describe('a stream that fails', () => {
  const told: Told = {
    s2: { restarts: 7, since: since(5), message: 'exit code 1: Connection refused' },
  };

  it('a failing stream is named in status, a condition and an event, and the pool stays Ready', () => {
    const at = telling(pool(), [{}, told]);
    const message = 's2 at worker-1 is failing: exit code 1: Connection refused';
    expect(eventsOf(at)).toEqual([
      { type: 'Warning', action: 'Verify', reason: 'StreamsFailing', message },
    ]);
    const after = next(at);
    expect(failing(after)).toEqual([
      {
        name: 's2',
        worker: 'worker-1',
        state: 'Restarting',
        restarts: 7,
        since: since(5),
        message: 'exit code 1: Connection refused',
      },
    ]);
    expect(after.pool.status?.streams?.failing).toBe(1);
    expect(conditionOf(after, 'StreamsHealthy')).toMatchObject({
      status: 'False',
      reason: 'StreamsFailing',
      message: '1 stream is failing (s2 at worker-1): see status.failing',
    });
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
  });

  it('a stream that goes on failing causes no more writes', () => {
    const after = next(telling(pool(), [{}, told]));
    const later = telling(after, [{}, { s2: { restarts: 99, since: since(5), message: 'other' } }]);
    expect(decidePool(later, NOW).steps).toEqual([]);
  });

  it('a stream that recovers causes one event', () => {
    const after = telling(next(telling(pool(), [{}, told])), [{}, {}]);
    expect(eventsOf(after)).toEqual([
      {
        type: 'Normal',
        action: 'Verify',
        reason: 'StreamsRecovered',
        message: 's2 is no longer failing',
      },
    ]);
    expect(failing(next(after))).toBeUndefined();
    expect(conditionOf(next(after), 'StreamsHealthy')?.status).toBe('True');
  });

  it('the worker of a failing stream is watched', () => {
    const watched = decidePool(telling(pool(), [{}, told]), NOW).probes;
    expect(watched?.map(({ isWatched }) => isWatched)).toEqual([undefined, true]);
  });

  it('the message of a failing stream shows none of its parameters', () => {
    const url = 'rtsp://admin:secret@cam-1/main';
    const streams = [{ name: 's0', parameters: { url } }, { name: 's1' }, { name: 's2' }];
    const at = telling(pool({}, streams), [{ s0: { message: `cannot open ${url}: refused` } }, {}]);
    expect(failing(next(at))?.[0]?.message).toBe('cannot open …: refused');
    expect(JSON.stringify(decidePool(at, NOW).steps)).not.toContain('secret');
  });

  it('the message of a failing stream shows no parameters of other streams at its worker', () => {
    const others = ['s1', 's2', 's3'].map((name) => ({
      ...{ name, parameters: { url: `rtsp://${name}:secret@cam-1` } },
    }));
    const streams = [{ name: 's0' }, ...others];
    const message = 'after rtsp://s1:secret@cam-1: exit code 1';
    const at = telling(pool({}, streams), [{ s0: { message } }, {}]);
    expect(failing(next(at))?.[0]?.message).toBe('after …: exit code 1');
    expect(JSON.stringify(decidePool(at, NOW).steps)).not.toContain('secret');
    const { basis } = decidePool(at, NOW);
    if (!basis.ok) throw new Error('it can be decided');
    expect(listStreams(at, basis.desired, NOW)[0]?.message).toBe('after …: exit code 1');
  });
});

describe('several streams that fail', () => {
  it('failing streams are listed the longest first, and status shows twenty', () => {
    const streams = Array.from({ length: 60 }, (_, index) => ({ name: `s${index}` }));
    const told = Object.fromEntries(
      streams.slice(0, 30).map(({ name }, index) => [name, { since: since(index + 1) }]),
    );
    const after = next(telling(pool({}, streams), [told, {}]));
    expect(failing(after)?.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, index) => `s${29 - index}`),
    );
    expect(after.pool.status?.streams?.failing).toBe(30);
  });

  it('failing streams share an event that names three', () => {
    const streams = Array.from({ length: 10 }, (_, index) => ({ name: `s${index}` }));
    const told = Object.fromEntries(streams.slice(0, 5).map(({ name }) => [name, {}]));
    expect(eventsOf(telling(pool({}, streams), [told, {}]))).toMatchObject([
      { message: 's0 at worker-0, s1 at worker-0, s2 at worker-0 and 2 more are failing' },
    ]);
  });

  it('failing streams are counted by the totals of their worker, within its number of streams', () => {
    const streams = Array.from({ length: 300 }, (_, index) => ({ name: `s${index}` }));
    const told = Object.fromEntries(streams.slice(0, 100).map(({ name }) => [name, {}]));
    const count = (states: WorkerReport['states']): number | undefined =>
      next(telling(pool({}, streams), [told, {}], { ...(states && { states }) })).pool.status
        ?.streams?.failing;
    expect(count({ Restarting: 120, Failed: 7 })).toBe(127);
    expect(count({ Restarting: 1_000_000 })).toBe(150);
    expect(count(undefined)).toBe(100);
  });
});

describe('a worker that does not report its streams', () => {
  it('StreamsHealthy is Unknown while a worker does not report its streams', () => {
    const at = next(telling(pool(), [{}, undefined]));
    expect(conditionOf(at, 'StreamsHealthy')).toMatchObject({
      status: 'Unknown',
      reason: 'StreamsNotTold',
      message: 'worker-1 does not report the health of its streams',
    });
  });

  it('status has no count of failing streams where no worker reports any', () => {
    const at = next(telling(pool(), [undefined, undefined]));
    expect(at.pool.status?.streams).not.toHaveProperty('failing');
  });

  it('StreamsHealthy names probe.type None where workers are not probed', () => {
    const at = settled(world({ spec: { probe: { type: 'None' } } }));
    expect(conditionOf(at, 'StreamsHealthy')?.message).toContain('probe.type None');
  });
});

describe('a worker that lies', () => {
  it('a report about streams of other workers is ignored, and StreamsHealthy says so', () => {
    const at = next(telling(pool(), [{ s2: { state: 'Failed' }, ghost: {} }, {}]));
    expect(failing(at)).toBeUndefined();
    expect(conditionOf(at, 'StreamsHealthy')).toMatchObject({
      status: 'Unknown',
      reason: 'ReportIgnored',
      message: 'the report of worker-0 has a stream that it was not assigned, which is ignored',
    });
  });

  it('a report about streams that the worker may still be stopping is not called wrong', () => {
    const at = telling(pool(), [{ gone: { state: 'Stopping' } }, {}], { version: 0 });
    expect(conditionOf(next(at), 'StreamsHealthy')?.message).not.toContain('not assigned');
  });

  it('a time in the future is ignored, and StreamsHealthy says so', () => {
    const at = next(telling(pool(), [{ s0: { since: since(-60) } }, {}]));
    expect(failing(at)?.[0]).not.toHaveProperty('since');
    expect(conditionOf(at, 'StreamsHealthy')?.message).toContain(
      'a time in the future, which is ignored',
    );
  });

  it('a completed stream with a time in the future leaves StreamsHealthy True', () => {
    const told = telling(pool(), [{ s0: { state: 'Completed', since: since(-60) } }, {}]);
    expect(conditionOf(next(told), 'StreamsHealthy')?.status).toBe('True');
  });
});
