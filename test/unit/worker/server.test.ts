import { describe, expect, it } from '@jest/globals';
import { readReport } from '../../../src/api/report.ts';
import { idle, supervise } from '../../../src/worker/decide/supervise.ts';
import { mostStreams, StartCounts, writeMetrics } from '../../../src/worker/report/metrics.ts';
import { type Answers, answer } from '../../../src/worker/report/server.ts';
import { policy, slice } from './builders.ts';

const answers: Answers = {
  version: () => ({ version: 7, jobs: ['a'], podUid: 'u' }),
  health: () => ({ isServing: false, details: { status: 'draining' } }),
  metrics: () => 'm\n',
};

describe('the worker answers', () => {
  const rows: [
    method: string | undefined,
    url: string | undefined,
    status: number,
    says: string,
  ][] = [
    ['GET', '/internal/version', 200, '{"version":7,"jobs":["a"],"podUid":"u"}\n'],
    ['GET', '/internal/version?x=1', 200, '"version":7'],
    ['GET', '/internal/health', 503, 'draining'],
    ['GET', '/metrics', 200, 'm\n'],
    ['GET', '/', 404, '/internal/version'],
    ['GET', '/internal/version/', 404, ''],
    ['GET', undefined, 404, ''],
    ['POST', '/internal/version', 405, 'only GET'],
    [undefined, '/internal/version', 405, 'only GET'],
  ];
  it.each(rows)('the worker answers %s %s with %i', (method, url, status, says) => {
    const given = answer(answers, method, url);
    expect(given.status).toBe(status);
    expect(given.body).toContain(says);
  });

  it('the worker answers with a report that the operator can parse', () => {
    expect(readReport('{"version":7,"read":8}')).toEqual({ version: 7, read: 8 });
    expect(readReport('{"version":7,"read":"8"}')).toEqual({ version: 7 });
    expect(readReport(answer(answers, 'GET', '/internal/version').body)).toEqual({
      version: 7,
      jobs: ['a'],
      podUid: 'u',
    });
  });

  it('the metrics of a worker keep any name of a stream inside its label', () => {
    const [swarm] = supervise(
      policy,
      idle,
      { type: 'Slice', slice: slice(1, ['a"} 1\nb\\']) },
      { now: 0, chance: 0 },
    );
    expect(writeMetrics(swarm, new StartCounts(), 0)).toContain(
      'stream_starts_total{stream="a\\"} 1\\nb\\\\"} 0\n',
    );
  });

  it('the metrics of a worker have state, starts, restarts and uptime of each stream', () => {
    const counts = new StartCounts();
    counts.started('a', false);
    counts.started('a', true);
    counts.started('gone', false);
    counts.forget('gone');
    const [given] = supervise(
      policy,
      idle,
      { type: 'Slice', slice: slice(1, ['a']) },
      { now: 0, chance: 0 },
    );
    const [swarm] = supervise(
      policy,
      given,
      { type: 'Process', stream: 'a', event: { type: 'Started' } },
      { now: 1_000, chance: 0 },
    );
    const lines = writeMetrics(swarm, counts, 3_500).split('\n');
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
      'swarm_worker_wanted_version 1',
      'swarm_worker_confirmed_version 1',
      'swarm_worker_streams 1',
      'swarm_worker_starts_total 3',
      'swarm_worker_restarts_total 1',
      'swarm_worker_stream_state{stream="a",state="Running"} 1',
      'swarm_worker_stream_starts_total{stream="a"} 2',
      'swarm_worker_stream_restarts_total{stream="a"} 1',
      'swarm_worker_stream_uptime_seconds{stream="a"} 2.5',
      '',
    ]);
  });

  it('the metrics of a worker have a bounded number of series, however long the list is', () => {
    const jobs = Array.from({ length: 2_000 }, (_, n) => `stream-${n}`);
    const [swarm] = supervise(
      policy,
      idle,
      { type: 'Slice', slice: slice(1, jobs) },
      { now: 0, chance: 0 },
    );
    expect(
      writeMetrics(swarm, new StartCounts(), 0).match(/^swarm_worker_stream_state\{/gm),
    ).toHaveLength(mostStreams);
  });
});
