// What can a worker do to the operator that probes it? Real servers: slow, silent, huge,
// redirecting, broken.
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { WorkerProbe } from '../../../src/api/report.ts';
import { Connections } from '../../../src/probes/connections.ts';
import { WorkerProbes } from '../../../src/probes/probes.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { nobodysPort } from '../../support/misbehaving-server.ts';
import { eventually } from '../../support/processes.ts';

/** For tests that are not about time: as long as the machine takes. */
const PATIENT_MS = 600_000;

const nobody = `http://127.0.0.1:${nobodysPort}/internal/version`;
const servers: Server[] = [];
let workers: WorkerProbes | undefined;
afterEach(async () => {
  await workers?.stop();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function worker(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer({ keepAliveTimeout: PATIENT_MS }, listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/internal/version`, server };
}

const report: RequestListener = (_, response) =>
  response.end('{"version":3,"jobs":["a"],"podUid":"good"}');
const most = { jobs: 1_000, bytes: 4 * 1024 * 1024 };
const ordinary = { mostBytes: most.bytes, onRead: () => undefined };
const probesOf = (
  urls: Readonly<Record<string, string>>,
  isOutstanding = false,
): readonly WorkerProbe[] =>
  Object.entries(urls).map(([podUid, url]) => ({
    podUid,
    url,
    awaiting: '3',
    isOutstanding,
    most,
  }));

function start(concurrency: number, answerMs?: number): WorkerProbes {
  workers = new WorkerProbes({
    clock: systemClock,
    concurrency,
    ...(answerMs !== undefined && { answerMs }),
    onChange: () => undefined,
  });
  return workers;
}

describe('a worker that is probed', () => {
  const huge = Buffer.alloc(10 * 1024 * 1024, 'x');
  const twoMillion = `{"version":3,"jobs":[0${',0'.repeat(1_999_999)}]}`;
  const nested = `{"version":3,"jobs":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`;
  const rows: [what: string, listener: RequestListener, reason: RegExp][] = [
    ['sends ten megabytes', (_, response) => response.end(huge), /more than 4194304 bytes/],
    ['sends without end', (_, response) => endless(response), /more than 4194304 bytes/],
    [
      'says that it sends very much',
      (_, response) => promising(response),
      /more than 4194304 bytes/,
    ],
    [
      'names two million jobs',
      (_, response) => response.end(twoMillion),
      /answers 2000000 jobs; allowed are 1000 for its/,
    ],
    ['nests its jobs', (_, response) => response.end(nested), /an invalid version report/],
    [
      'names a pod by a very long text',
      (_, response) => response.end(`{"version":3,"podUid":"${'x'.repeat(9_000)}"}`),
      /podUid of 9000 characters/,
    ],
    [
      'redirects',
      (_, response) =>
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('elsewhere'),
      /answers 302/,
    ],
    [
      'answers an error with a long page',
      (_, response) => response.writeHead(500).end(huge),
      /answers 500/,
    ],
    ['answers what is no JSON', (_, response) => response.end('ok'), /an invalid version report/],
    [
      'claims a version that no pool can have',
      (_, response) => response.end('{"version":1e300}'),
      /an invalid version report/,
    ],
    ['closes the connection', (_, response) => response.destroy(), /other side closed|ECONNRESET/],
    [
      'ends in the middle of its answer',
      (_, response) => broken(response),
      /closed|aborted|ECONNRESET|terminated|content-length/i,
    ],
  ];
  it.each(rows)(
    'a probe of a worker that %s fails with a reason, and leaves nothing behind',
    async (_, listener, reason) => {
      const unhandled: unknown[] = [];
      const note = (error: unknown): unknown => unhandled.push(error);
      process.on('uncaughtException', note).on('unhandledRejection', note);
      const { url } = await worker(listener);
      const probes = start(4, PATIENT_MS);
      probes.probe('k', probesOf({ bad: url }));
      await eventually('it has answered', () => probes.answersOf('k')['bad'] !== undefined);
      expect(probes.answersOf('k')['bad']).toMatchObject({
        ok: false,
        reason: expect.stringMatching(reason),
      });
      await probes.stop();
      await new Promise((resolve) => setImmediate(resolve));
      process.off('uncaughtException', note).off('unhandledRejection', note);
      expect(unhandled).toEqual([]);
    },
  );

  it('a worker that never answers delays no other, and its connection ends with the probes', async () => {
    let silent = 0;
    const silence = await worker(() => {
      silent += 1;
    });
    const good = await worker(report);
    const probes = start(2, PATIENT_MS);
    probes.probe('k', probesOf({ silent: silence.url }, true));
    await eventually('the silent one is probed', () => silent === 1);
    probes.probe('other', probesOf({ good: good.url }));
    await eventually(
      'the good one has answered',
      () => probes.answersOf('other')['good'] !== undefined,
    );
    expect(probes.answersOf('other')).toEqual({
      good: { ok: true, report: { version: 3, jobs: ['a'], podUid: 'good' } },
    });
    expect(probes.answersOf('k')).toEqual({});
    await probes.stop();
    await eventually(
      'no connection is left',
      async () => (await connectionsOf(silence.server)) + (await connectionsOf(good.server)) === 0,
    );
  });

  it('a worker that never answers is given up after two seconds', async () => {
    const { url } = await worker(() => undefined);
    const probes = start(2);
    probes.probe('k', probesOf({ silent: url }));
    await eventually('it is given up', () => probes.answersOf('k')['silent'] !== undefined);
    expect(probes.answersOf('k')['silent']).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/no answer within 2 s/),
    });
  });

  it('a worker that sends a byte now and then is given up all the same', async () => {
    const { url } = await worker((_, response) => trickling(response));
    const probes = start(2, 200);
    probes.probe('k', probesOf({ slow: url }));
    await eventually('it is given up', () => probes.answersOf('k')['slow'] !== undefined);
    expect(probes.answersOf('k')['slow']).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/no answer within 0.2 s/),
    });
  });

  it('an answer with the same bytes as before is not parsed again', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    let probed = 0;
    const { url } = await worker((_, response) => {
      probed += 1;
      response.end('{"version":3,"jobs":["the same"]}');
    });
    const probes = start(2, PATIENT_MS);
    probes.probe('k', probesOf({ good: url }, true));
    await eventually('it was probed five times', () => probed >= 5);
    const reads = parse.mock.calls.filter(([text]) => text.includes('the same')).length;
    parse.mockRestore();
    expect(reads).toBe(1);
    expect(probes.answersOf('k')).toEqual({
      good: { ok: true, report: { version: 3, jobs: ['the same'] } },
    });
  });

  it('a probe of an address without a server fails with a reason', async () => {
    const probes = start(2, PATIENT_MS);
    probes.probe('k', probesOf({ dead: nobody }));
    await eventually('it is known', () => probes.answersOf('k')['dead'] !== undefined);
    expect(probes.answersOf('k')['dead']).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it('a worker that answers again and again needs one connection', async () => {
    let connections = 0;
    let probed = 0;
    const { url, server } = await worker((request, response) => {
      probed += 1;
      report(request, response);
    });
    server.on('connection', () => {
      connections += 1;
    });
    start(2, PATIENT_MS).probe('k', probesOf({ good: url }, true));
    await eventually('it was probed five times', () => probed >= 5);
    expect(connections).toBe(1);
  });
});

describe('the connections to an address', () => {
  it('no connection is kept after the last probe of an address, or when no server is there', async () => {
    const { url } = await worker(report);
    const connections = new Connections(PATIENT_MS);
    await connections.get(url, { isLast: false, ...ordinary });
    expect(connections.size).toBe(1);
    await connections.get(url, { isLast: true, ...ordinary });
    await expect(connections.get(nobody, { isLast: false, ...ordinary })).rejects.toThrow(
      /ECONNREFUSED/,
    );
    await eventually('nothing is kept', () => connections.size === 0);
    await connections.stop();
  });
});

function broken(response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"version":');
  setImmediate(() => response.destroy());
}

function endless(response: Parameters<RequestListener>[1]): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, ' ')));
  };
  response.on('drain', more);
  more();
}

function promising(response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-length': String(1024 ** 4) }).write('{"version":');
}

function trickling(response: Parameters<RequestListener>[1]): void {
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
