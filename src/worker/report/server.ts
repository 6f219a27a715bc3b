// Answers the operator's probe, the kubelet's probes and Prometheus over HTTP.
import type { Server } from 'node:http';
import type { WorkerReport } from '../../api/report.ts';
import { createBoundedServer } from '../../http/bounded-server.ts';

export type Answers = {
  readonly version: () => WorkerReport;
  readonly health: () => { readonly isServing: boolean; readonly details: object };
  readonly metrics: () => string;
};

type Answer = { readonly status: number; readonly type: string; readonly body: string };

/** Slow or many clients must not keep the worker from answering the kubelet and the operator. */
const BOUNDS = { connections: 64, answerMs: 10_000 };
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function createWorkerServer(answers: Answers): Server {
  return createBoundedServer(BOUNDS, (request, response) => {
    const { status, type, body } = answer(answers, request.method, request.url);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET' }),
    });
    response.end(body);
  });
}

export function answer(
  answers: Answers,
  method: string | undefined,
  url: string | undefined,
): Answer {
  if (method !== 'GET') return json(405, { error: 'only GET is allowed' });
  switch (url?.split('?', 1)[0]) {
    case '/internal/version':
      return json(200, answers.version());
    case '/internal/health': {
      const { isServing, details } = answers.health();
      return json(isServing ? 200 : 503, details);
    }
    case '/metrics':
      return { status: 200, type: METRICS_TYPE, body: answers.metrics() };
    default:
      return json(404, {
        error: 'no such path; available are /internal/version, /internal/health and /metrics',
      });
  }
}

const json = (status: number, value: object): Answer => ({
  status,
  type: 'application/json',
  body: `${JSON.stringify(value)}\n`,
});
