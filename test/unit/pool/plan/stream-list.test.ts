// How is each stream, by its worker's answer or, where that was not reached, by the pool's status?
import { describe, expect, it } from '@jest/globals';
import type { WorkerReport } from '../../../../src/api/report.ts';
import type { ReportedStreams } from '../../../../src/api/reported-streams.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { explain } from '../../../../src/pool/plan/explain.ts';
import { type ListedStream, listStreams } from '../../../../src/pool/plan/stream-list.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import { NOW, withPod, withSpec, world } from '../../../support/pool-worlds.ts';

/** worker-0 has s0 and s1, worker-1 has s2 and s3. */
const pool = settled(world({ streams: 4 }));

const answering = (at: PoolWorld, ordinal: number, told: ReportedStreams): PoolWorld => {
  const uid = at.pods[ordinal]?.uid ?? '';
  const answer = at.answers[uid];
  if (answer?.ok !== true) throw new Error(`worker-${ordinal} does not answer`);
  const report = { ...answer.report, ...told };
  return { ...at, answers: { ...at.answers, [uid]: { ok: true, report } } };
};

const silent = (at: PoolWorld): PoolWorld => ({
  ...at,
  answers: Object.fromEntries(
    at.pods.map(({ uid }) => [uid, { ok: true as const, report: { version: 1 } }]),
  ),
});

function listed(at: PoolWorld): readonly ListedStream[] {
  const { basis } = decidePool(at, NOW);
  if (!basis.ok) throw new Error(basis.blocked.reason);
  return listStreams(at, basis.desired, NOW);
}

const shown = (at: PoolWorld): readonly string[] =>
  listed(at).map(({ stream, worker, state }) => `${stream} ${worker} ${state}`);

const unready = world({ streams: 4, workers: 2 });
const firstStart = carriedOut(
  { ...unready, pods: unready.pods.map((it) => ({ ...it, isReady: false })) },
  decidePool({ ...unready, pods: unready.pods.map((it) => ({ ...it, isReady: false })) }, NOW),
);

const fails = {
  streams: { s1: { state: 'Restarting', restarts: 4, message: 'exit code 1' } },
} as const;

describe('streams', () => {
  it('a stream is Unknown at a worker without reports, and Running at one that does not name it', () => {
    expect(shown(answering(pool, 1, { streams: {} }))).toEqual([
      's0 worker-0 Unknown',
      's1 worker-0 Unknown',
      's2 worker-1 Running',
      's3 worker-1 Running',
    ]);
  });

  it('a stream is as its worker reports it', () => {
    expect(listed(answering(pool, 0, fails)).slice(0, 2)).toEqual([
      { stream: 's0', worker: 'worker-0', state: 'Running' },
      { stream: 's1', worker: 'worker-0', ...fails.streams.s1 },
    ]);
  });

  it('a stream is as in status where its worker cannot be reached', () => {
    const told = answering(answering(pool, 0, fails), 1, { streams: {} });
    const at = silent(carriedOut(told, decidePool(told, NOW)));
    expect(shown(at)).toEqual([
      's0 worker-0 Running',
      's1 worker-0 Restarting',
      's2 worker-1 Running',
      's3 worker-1 Running',
    ]);
  });

  it('a stream is Assigned until its worker has confirmed it, and Unassigned without a worker', () => {
    const at = { ...pool, answers: {} };
    expect(shown(at)[0]).toBe('s0 worker-0 Assigned');
    const heavy = settled(
      world({
        streams: [
          { name: 'a', weight: 60 },
          { name: 'b', weight: 60 },
        ],
        workers: 1,
      }),
    );
    expect(listed(heavy)[1]).toMatchObject({ stream: 'b', state: 'Unassigned' });
    expect(listed(heavy)[1]?.message).toContain('60');
  });

  const notReady = { isReady: false, trouble: 'Unschedulable', troubleDetail: 'Insufficient cpu' };

  it('a stream is Down while its worker is, with why and when others take over', () => {
    const at = withPod(pool, 0, notReady);
    expect(listed(at).slice(0, 3)).toEqual([
      ...['s0', 's1'].map((stream) => ({
        ...{ stream, worker: 'worker-0', state: 'Down' },
        message: 'its pod is not Ready (Unschedulable: Insufficient cpu)',
        takeover:
          'other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)',
      })),
      expect.objectContaining({ stream: 's2', state: 'Unknown' }),
    ]);
  });

  it('a stream that is Down says why its pod is missing, as status does', () => {
    const lacking = { ...pool, pods: pool.pods.slice(1) };
    const seen = { ...lacking, creationFailures: new Map([['worker-0', 'exceeded quota: two']]) };
    const late = { ...seen, ages: { ...seen.ages, statusLagMs: 60_000 } };
    const at = { ...carriedOut(late, decidePool(late, NOW)), creationFailures: new Map() };
    expect(listed({ ...at, pods: lacking.pods })[0]).toMatchObject({
      state: 'Down',
      message: 'it has no pod (exceeded quota: two)',
    });
  });

  const reporting = (report: WorkerReport): PoolWorld => ({
    ...pool,
    answers: { ...pool.answers, 'uid-0': { ok: true, report } },
  });

  it.each<[string, PoolWorld, ListedStream['state'], string]>([
    [
      'workers are not probed',
      withSpec(pool, { probe: { type: 'None' } }),
      'Unknown',
      'workers are not probed (spec.probe.type None)',
    ],
    [
      'its worker reports no states',
      pool,
      'Unknown',
      'its worker does not report the states of its streams',
    ],
    [
      'its worker was not reached, and status knows nothing of it',
      reporting({ version: 1, isFromStatus: true }),
      'Unknown',
      'its worker was not reached from here, and status does not name every failing stream of it',
    ],
    [
      'its worker has not been probed yet',
      { ...pool, answers: {} },
      'Assigned',
      'its worker has not been probed yet',
    ],
    [
      'its worker does not answer',
      { ...pool, answers: { 'uid-0': { ok: false, reason: 'no answer within 2 s' } } },
      'Assigned',
      'its worker does not answer: no answer within 2 s',
    ],
    [
      'its worker has read no new file',
      reporting({ version: 0, jobs: [] }),
      'Assigned',
      'its worker reports version 0, not yet 1',
    ],
    [
      'its worker runs something else',
      reporting({ version: 1, jobs: ['x'] }),
      'Assigned',
      'its worker reports other streams than those assigned to it',
    ],
    ['its worker starts for the first time', firstStart, 'Assigned', 'its pod is not Ready'],
  ])('the list says why the state of a stream is not known: %s', (_, at, state, message) => {
    expect(listed(at)[0]).toEqual({ stream: 's0', worker: 'worker-0', state, message });
  });

  it('a stream is explained with what its worker reports', () => {
    const at = answering(pool, 0, fails);
    const explained = explain(at, decidePool(at, NOW).basis, 's1', NOW);
    expect(explained.ok && explained.explanation.because.at(-1)).toBe(
      'worker-0 reports it as Restarting, restarted 4 times, exit code 1',
    );
  });
});
