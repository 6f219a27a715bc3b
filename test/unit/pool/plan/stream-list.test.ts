// How is each stream, by its worker's answer or, where that was not reached, by the pool's status?
import { describe, expect, it } from '@jest/globals';
import type { ReportedStreams } from '../../../../src/api/reported-streams.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { explain } from '../../../../src/pool/plan/explain.ts';
import { type ListedStream, listStreams } from '../../../../src/pool/plan/stream-list.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import { NOW, world } from '../../../support/pool-worlds.ts';

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
  return listStreams(at, basis.desired);
}

const shown = (at: PoolWorld): readonly string[] =>
  listed(at).map(({ stream, worker, state }) => `${stream} ${worker} ${state}`);

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

  it('a stream is explained with what its worker reports', () => {
    const at = answering(pool, 0, fails);
    const explained = explain(at, decidePool(at, NOW).basis, 's1');
    expect(explained.ok && explained.explanation.because.at(-1)).toBe(
      'worker-0 reports it as Restarting, restarted 4 times, exit code 1',
    );
  });
});
