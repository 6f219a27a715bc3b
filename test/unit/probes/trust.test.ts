// Does the operator verify workers and prove itself as the administrator has set, and is no token
// that is valid elsewhere sent to a worker?
import { rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { ServerOptions } from 'node:https';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { selfSigned } from '../../../src/playground/node/certificate.ts';
import { Connections } from '../../../src/probes/connections.ts';
import { type TrustFiles, trustFrom } from '../../../src/probes/trust.ts';
import { localServers } from '../../support/local-servers.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { folder, closing, written, serve: serveWith } = localServers();
const worker = selfSigned('worker', ['127.0.0.1']);
const named = selfSigned('worker');
const operator = selfSigned('operator');
const ca = written('ca.crt', worker.cert);
const otherCa = written('other.crt', named.cert);
const clientCert = written('client.crt', operator.cert);
const clientKey = written('client.key', operator.key);

const ownToken = path.join(folder, 'own-token');

const jwt = (audience: string): string =>
  ['{}', JSON.stringify({ aud: [audience] }), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

/** Answers with what it learned about the client. */
function told(request: IncomingMessage): string {
  const socket = request.socket as TLSSocket;
  const peer = 'getPeerCertificate' in socket ? socket.getPeerCertificate() : undefined;
  return `${request.headers.authorization ?? 'nobody'} ${peer?.subject?.CN ?? 'no certificate'}`;
}

const serve = async (tls?: ServerOptions): Promise<string> =>
  `${await serveWith((request, response) => void response.end(told(request)), tls)}/`;

type Asking = { readonly ask: (url: string) => Promise<string>; readonly troubles: string[] };

function asking(files: TrustFiles, clock = new VirtualClock()): Asking {
  const troubles: string[] = [];
  const onTrouble = (message: string): void => void troubles.push(message);
  const trust = trustFrom(files, { clock, onTrouble, ownToken });
  const connections = new Connections(10_000, trust);
  closing.push(() => connections.stop());
  const bounds = { isLast: true, mostBytes: 1_000, onRead: () => undefined };
  return { troubles, ask: async (url) => String((await connections.get(url, bounds)).body) };
}

describe('a worker over HTTPS', () => {
  it('a worker over HTTPS is not verified where no authority is set, and gets no credentials', async () => {
    expect(await asking({}).ask(await serve(worker))).toBe('nobody no certificate');
  });

  it.each<[string, TrustFiles, ServerOptions, boolean]>([
    ['of the authority, at its address, is trusted', { ca }, worker, true],
    ['of another authority is refused', { ca: otherCa }, worker, false],
    ['without its address in the certificate is refused', { ca: otherCa }, named, false],
    ['with the name that is set is trusted', { ca: otherCa, serverName: 'worker' }, named, true],
    ['with another name is refused', { ca: otherCa, serverName: 'other' }, named, false],
  ])('a worker %s', async (_, files, options, isTrusted) => {
    const answer = asking(files).ask(await serve(options));
    if (isTrusted) expect(await answer).toBe('nobody no certificate');
    else await expect(answer).rejects.toThrow(/certificate|altnames/i);
  });

  it('a worker sees the client certificate where it asks for one', async () => {
    const url = await serve({ ...worker, requestCert: true, rejectUnauthorized: false });
    expect(await asking({ ca, clientCert, clientKey }).ask(url)).toBe('nobody operator');
  });
});

describe('a token', () => {
  const token = written('token', `${jwt('workers')}\n`);

  it('a token goes to verified workers over HTTPS, and not over HTTP', async () => {
    const { ask } = asking({ ca, token });
    expect(await ask(await serve(worker))).toBe(`Bearer ${jwt('workers')} no certificate`);
    expect(await ask(await serve())).toBe('nobody no certificate');
    await expect(ask(await serve(named))).rejects.toThrow(/certificate/);
  });

  it('a token is read again when it is rotated, and the last one stays without the file', async () => {
    const clock = new VirtualClock();
    const file = written('rotated', 'first');
    const url = await serve(worker);
    const { ask, troubles } = asking({ ca, token: file }, clock);
    written('rotated', 'second');
    expect(await ask(url)).toBe('Bearer first no certificate');
    await clock.advance(10_000);
    expect(await ask(url)).toBe('Bearer second no certificate');
    rmSync(file);
    await clock.advance(10_000);
    expect(await ask(url)).toBe('Bearer second no certificate');
    expect(troubles).toEqual([expect.stringContaining(`cannot read ${file}: ENOENT`)]);
  });
});

describe('settings of probes', () => {
  written('own-token', jwt('kubernetes'));
  const token = written('any-token', 'abc');
  it.each<[string, TrustFiles, string]>([
    ['a token without an authority', { token }, '--probe-token-file needs --probe-ca-file'],
    [
      'a name without an authority',
      { serverName: 'x' },
      '--probe-server-name needs --probe-ca-file',
    ],
    ['a certificate without its key', { clientCert }, 'need each other'],
    ['a file that is not there', { ca: '/no/such' }, 'cannot read /no/such: ENOENT'],
    ['an empty token', { ca, token: written('empty', '\n') }, 'contains no token'],
    ['a token of two lines', { ca, token: written('lines', 'a\nb') }, 'contains no token'],
    ["the operator's own token for the API server", { ca, token: ownToken }, 'for the API server'],
    [
      'another token of the same audience',
      { ca, token: written('again', `${jwt('kubernetes')}x`) },
      'is a token for the API server, which must not be sent to workers',
    ],
  ])('%s is refused at the start', (_, files, message) =>
    expect(() => asking(files)).toThrow(message),
  );
});
