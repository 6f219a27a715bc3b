import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { V1Probe } from '@kubernetes/client-node';
import {
  type CheckTarget,
  check,
  portOf,
} from '../../../../src/playground/node/probes/probe-check.ts';
import {
  counted,
  nothingKnown,
  type ProbeCount,
  type ProbeKind,
  runProbe,
} from '../../../../src/playground/node/probes/probes.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';

const verdicts = (answers: string, successThreshold: number, failureThreshold: number): string => {
  let count: ProbeCount = nothingKnown;
  return [...answers]
    .map((answer) => {
      count = counted(count, answer === '+', { successThreshold, failureThreshold });
      return count.verdict.slice(0, 1);
    })
    .join('');
};

describe('the verdict of a probe', () => {
  it.each([
    ['+', 1, 3, 's'],
    ['--', 1, 3, 'uu'],
    ['---', 1, 3, 'uuf'],
    ['+--+---+', 1, 3, 'ssssssfs'],
    ['-+-+', 1, 1, 'fsfs'],
    ['---+-++', 2, 3, 'uuffffs'],
  ])(
    'the verdicts of a probe after %s with thresholds %d and %d are %s',
    (answers, success, failure, wanted) => {
      expect(verdicts(answers, success, failure)).toBe(wanted);
    },
  );
});

/** Timers fire at once. */
function quickClock(): Clock & { waited: number[] } {
  const waited: number[] = [];
  return {
    waited,
    now: () => 0,
    monotonic: () => 0,
    after: (ms, run) => {
      waited.push(ms);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
}

async function heard(
  kind: ProbeKind,
  answers: string,
): Promise<{ said: string[]; waited: number[] }> {
  const probe = { tcpSocket: { port: 1 }, failureThreshold: 2, initialDelaySeconds: 5 };
  const stop = new AbortController();
  const left = [...answers];
  const said: string[] = [];
  const clock = quickClock();
  const check = async () => {
    const isSuccess = left.shift() === '+';
    if (left.length === 0) setImmediate(() => stop.abort());
    return { isSuccess, message: 'why' };
  };
  const onVerdict = (isSuccess: boolean) => said.push(isSuccess ? 'good' : 'bad');
  const onFailure = () => said.push('failed');
  await runProbe({ probe, kind, check, onVerdict, onFailure, clock }, stop.signal);
  return { said, waited: clock.waited };
}

describe('a running probe', () => {
  it('a running probe waits its initial delay, then its period', async () => {
    expect((await heard('readiness', '+++')).waited.slice(0, 3)).toEqual([5_000, 10_000, 10_000]);
  });

  it('a running probe reports a verdict only when it changes', async () => {
    expect((await heard('readiness', '++--+')).said).toEqual([
      'good',
      'failed',
      'failed',
      'bad',
      'good',
    ]);
  });

  it('a running probe reports each failure of a liveness probe', async () => {
    expect((await heard('liveness', '---')).said).toEqual([
      'failed',
      'failed',
      'bad',
      'failed',
      'bad',
    ]);
  });

  it('a startup probe ends with its first success', async () => {
    expect((await heard('startup', '-+---')).said).toEqual(['failed', 'good']);
  });
});

describe('check', () => {
  let server: Server;
  let target: CheckTarget;
  let port: number;
  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url === '/hangs') return;
      response.statusCode =
        request.headers['x-code'] === undefined ? 200 : Number(request.headers['x-code']);
      response.end(request.headers['user-agent']);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    target = {
      podIP: '127.0.0.1',
      ports: [{ name: 'web', containerPort: port }],
      exec: async ([word]) => ({ exitCode: word === 'true' ? 0 : 1, output: 'no!\n' }),
    };
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const http = (code: number, path = '/', httpPort: string | number = 'web') => ({
    httpGet: { port: httpPort, path, httpHeaders: [{ name: 'X-Code', value: String(code) }] },
  });

  const closed = { host: '::1', port: 1 };

  it.each<[string, V1Probe, boolean, RegExp, number?]>([
    ['200 is a yes', http(200), true, /^$/],
    ['a redirect is a yes', http(302), true, /^$/],
    ['404 is a no', http(404), false, /statuscode: 404/],
    ['no answer in time is a no', http(200, '/hangs'), false, /no answer within 300 ms/, 300],
    ['a port without name is a no', http(200, '/', 'none'), false, /declares no port named "none"/],
    ['an open port is a yes', { tcpSocket: { port: 'web' } }, true, /^$/],
    ['a closed port is a no', { tcpSocket: { port: 1 } }, false, /^dial tcp 127\.0\.0\.1:1: /],
    ['an IPv6 host is in brackets', { tcpSocket: closed }, false, /^dial tcp \[::1\]:1: /],
    [
      'an IPv6 host is in brackets in a URL, too',
      { httpGet: closed },
      false,
      /^Get "http:\/\/\[::1\]:1\/": /,
    ],
    ['exit code 0 is a yes', { exec: { command: ['true'] } }, true, /^$/],
    [
      'another exit code is a no, with the output',
      { exec: { command: ['false'] } },
      false,
      /^no!$/,
    ],
    ['a probe that the playground lacks counts as a yes', { grpc: { port: 1 } }, true, /^$/],
  ])(
    'check decides about one answer: %s',
    async (_, given, isSuccess, message, withinMs = 60_000) => {
      const answer = await check(given, target, withinMs);
      expect(answer.isSuccess).toBe(isSuccess);
      expect(answer.message).toMatch(message);
    },
  );

  it.each([
    [80, 80],
    ['web', 9090],
    ['81', 81],
    ['none', undefined],
  ])('the port %s of a probe is %s', (asked, wanted) => {
    expect(portOf(asked, [{ name: 'web', containerPort: 9090 }])).toBe(wanted);
  });
});
