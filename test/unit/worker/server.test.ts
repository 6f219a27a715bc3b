import { describe, expect, it } from '@jest/globals';
import { readReport } from '../../../src/api/report.ts';
import { writeMetrics } from '../../../src/worker/metrics.ts';
import { type Answers, answer } from '../../../src/worker/server.ts';
import { idle } from '../../../src/worker/supervise.ts';

const answers: Answers = {
  version: () => ({ version: 7, jobs: ['a'], podUid: 'u' }),
  health: () => ({ isServing: false, details: { status: 'draining' } }),
  metrics: () => 'm\n',
};

describe('the worker answers', () => {
  const rows: [method: string | undefined, url: string | undefined, status: number, says: string][] = [
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
  it.each(rows)('%s %s: %i', (method, url, status, says) => {
    const given = answer(answers, method, url);
    expect(given.status).toBe(status);
    expect(given.body).toContain(says);
  });

  it('what the operator can read', () => {
    expect(readReport(answer(answers, 'GET', '/internal/version').body)).toEqual({ version: 7, jobs: ['a'], podUid: 'u' });
  });

  it('metrics in which a name cannot break out of its label', () => {
    expect(writeMetrics(idle, new Map([['a"} 1\nb\\', 2]]))).toContain('starts_total{stream="a\\"} 1\\nb\\\\"} 2\n');
  });
});
