// What does a source answer, or why nothing? By real servers that behave in every bad way.
import { rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { selfSigned } from '../../../../src/playground/node/certificate.ts';
import { MetricSource } from '../../../../src/runtime/metric-sources/source.ts';
import { localServers } from '../../../support/local-servers.ts';
import { nobodysPort } from '../../../support/misbehaving-server.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const identity = selfSigned('metrics', ['127.0.0.1']);
const { closing, written, serve } = localServers();

type Extra = {
  readonly caFile?: string;
  readonly tokenFile?: string;
  readonly answerMs?: number;
  readonly clock?: VirtualClock;
  readonly troubles?: string[];
};

function sourceAt(address: string, extra: Extra = {}): MetricSource {
  const { answerMs = 20_000, clock = new VirtualClock(), troubles = [], ...files } = extra;
  const source = new MetricSource(
    { name: 'default', address, namespaces: ['shop'], ...files },
    { clock, onTrouble: (message) => void troubles.push(message), answerMs },
  );
  closing.push(() => source.close());
  return source;
}

/** 2026-01-01, as the virtual clock. */
const NOW_S = 1_767_225_600;
const answer = (value = '180', seconds = NOW_S): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: [{ metric: {}, value: [seconds, value] }] },
  });

describe('a source', () => {
  it('a source is asked an instant query, with bounds for it', async () => {
    let asked = '';
    const address = await serve((request, response) => {
      asked = `${request.method} ${request.url}`;
      response.sendDate = false;
      response.end(answer());
    });
    const query = 'sum(rate(requests_total{app="a b"}[1m])) & more';
    expect(await sourceAt(`${address}/prefix`).ask(query)).toEqual({
      state: 'sampled',
      value: 180,
      ageMs: 0,
    });
    const url = new URL(asked.replace('GET ', ''), address);
    expect(url.pathname).toBe('/prefix/api/v1/query');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      query,
      timeout: '20s',
      limit: '2',
      partial_response: 'false',
    });
  });

  it.each([
    [
      'the clock of the source, where it is known',
      'Thu, 01 Jan 2026 05:00:10 GMT',
      NOW_S + 5 * 3600,
      10_000,
    ],
    ['our clock, where the source sends none', undefined, NOW_S - 30, 30_000],
    [
      'the clock of the source, which is behind the sample',
      'Thu, 01 Jan 2026 00:00:00 GMT',
      NOW_S + 1,
      0,
    ],
  ])('the age of a sample is measured by %s', async (_, date, seconds, ageMs) => {
    const address = await serve((__, response) => {
      response.sendDate = false;
      if (date !== undefined) response.setHeader('date', date);
      response.end(answer('1', seconds));
    });
    expect(await sourceAt(address).ask('up')).toEqual({ state: 'sampled', value: 1, ageMs });
  });

  it.each<[string, RequestListener, string, string]>([
    ['closes the connection', (_, response) => void response.destroy(), 'unreachable', ''],
    ['redirects', (_, r) => r.writeHead(307, { location: '/' }).end(), 'redirected', '307'],
    ['wants a token', (_, r) => r.writeHead(401).end(), 'denied', '401'],
    ['has an error in a 200', (_, r) => r.end('{"status":"error"}'), 'source-failed', ''],
    ['is broken', (_, r) => r.writeHead(500).end('a page'), 'source-failed', 'answers 500'],
    ['is something else', (_, r) => r.end('<html>'), 'not-understood', ''],
    ['announces 10 MB', (_, r) => r.end('x'.repeat(10_000_000)), 'too-long', '64 KiB'],
    [
      'sends without an end',
      (_, response) => {
        const send = (): void => void (response.write('x'.repeat(10_000)) && setImmediate(send));
        response.on('drain', send);
        send();
      },
      'too-long',
      '64 KiB',
    ],
  ])('a source that %s gives no number', async (_, listener, trouble, detail) => {
    const address = await serve(listener);
    expect(await sourceAt(address).ask('up')).toMatchObject({
      state: 'failed',
      trouble,
      ...(trouble !== 'unreachable' && { detail }),
    });
  });

  it.each<[string, RequestListener]>([
    ['says nothing', () => undefined],
    ['stops in the middle', (_, response) => void response.write('{"status":')],
  ])('a source that %s is given up', async (_, listener) => {
    const address = await serve(listener);
    expect(await sourceAt(address, { answerMs: 100 }).ask('up')).toEqual({
      state: 'failed',
      trouble: 'late',
      detail: '0.1 s',
    });
  });

  it('a source that is away is reported without its address', async () => {
    expect(await sourceAt(`http://127.0.0.1:${nobodysPort}`).ask('up')).toEqual({
      state: 'failed',
      trouble: 'unreachable',
      detail: 'ECONNREFUSED',
    });
  });

  it('a source may be used only by the namespaces that it names', () => {
    const source = sourceAt('http://127.0.0.1:1');
    expect([source.allows('shop'), source.allows('other')]).toEqual([true, false]);
  });
});

describe('a source over HTTPS', () => {
  const told: string[] = [];
  const listener: RequestListener = ({ headers }, response) => {
    told.push(headers.authorization ?? 'nobody');
    response.end(answer());
  };

  it('a source over HTTPS is verified by its authority, and gets the token', async () => {
    const address = await serve(listener, identity);
    const caFile = written('ca.crt', identity.cert);
    const tokenFile = written('token', 'abc.def\n');
    const source = sourceAt(address, { caFile, tokenFile });
    expect(await source.ask('up')).toMatchObject({ state: 'sampled', value: 180 });
    expect(told.at(-1)).toBe('Bearer abc.def');
  });

  it('a source with a certificate of another authority gets no request', async () => {
    const address = await serve(listener, identity);
    const before = told.length;
    const other = written('other.crt', selfSigned('other').cert);
    for (const caFile of [{ caFile: other }, {}])
      expect(await sourceAt(address, caFile).ask('up')).toMatchObject({
        trouble: 'unreachable',
        detail: expect.stringMatching(/SELF_SIGNED|UNABLE_TO|CERT/),
      });
    expect(told).toHaveLength(before);
  });

  it('a source gets a replaced token and authority within ten seconds', async () => {
    const address = await serve(listener, identity);
    const clock = new VirtualClock();
    const troubles: string[] = [];
    const caFile = written('rotated.crt', selfSigned('before').cert);
    const tokenFile = written('rotated', 'one');
    const source = sourceAt(address, { caFile, tokenFile, clock, troubles });
    expect(await source.ask('up')).toMatchObject({ trouble: 'unreachable' });
    written('rotated.crt', identity.cert);
    written('rotated', 'two-longer');
    await clock.advance(10_000);
    expect(await source.ask('up')).toMatchObject({ state: 'sampled' });
    expect(told.at(-1)).toBe('Bearer two-longer');
    rmSync(tokenFile);
    await clock.advance(10_000);
    expect(await source.ask('up')).toMatchObject({ state: 'sampled' });
    expect(told.at(-1)).toBe('Bearer two-longer');
    expect(troubles).toEqual([expect.stringContaining('metric source default: ')]);
    expect(troubles.join()).not.toContain('two-longer');
  });

  it.each([
    ['is not there', '/nowhere', 'metric source default: /nowhere: '],
    [
      'has two lines',
      written('lines', 'a\nb'),
      'contains no token; expected one line without spaces',
    ],
    ['is empty', written('empty', ''), 'contains no token'],
  ])('a source cannot begin with a token file that %s', (_, tokenFile, message) => {
    expect(() => sourceAt('https://127.0.0.1:1', { tokenFile })).toThrow(message);
  });
});
