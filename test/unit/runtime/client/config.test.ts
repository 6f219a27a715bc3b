// Do all requests share a few connections, and do rotated credentials take effect?
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import type { PooledKubeConfig } from '../../../../src/runtime/client/config.ts';
import { MisbehavingServer, type ServerOptions } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { selfSigned } from '../../../support/self-signed.ts';

const ref = { namespace: 'n', name: 'a' };
const folder = mkdtempSync(join(tmpdir(), 'pool-'));
const path = (name: string): string => join(folder, name);
const closing: (() => Promise<void>)[] = [];

const certificates = new Map<string, NonNullable<ServerOptions['tls']>>();
beforeAll(() => {
  for (const name of ['old', 'new']) certificates.set(name, selfSigned(folder, name));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const tls = (name: string): ServerOptions => {
  const certificate = certificates.get(name);
  return certificate === undefined ? {} : { tls: certificate };
};

async function start(options?: ServerOptions): Promise<MisbehavingServer> {
  const server = await MisbehavingServer.start([kinds.ConfigMap], options);
  server.store.put(kinds.ConfigMap, ref);
  closing.push(() => server.close());
  return server;
}

function connect(config: PooledKubeConfig): KubeClient {
  closing.push(() => config.closeConnections());
  return new KubeClient(config);
}

const get = (client: KubeClient): Promise<unknown> => client.get(kinds.ConfigMap, ref);

describe('connections', () => {
  it('fifty requests in a row need at most two connections', async () => {
    const server = await start();
    const client = connect(server.config());
    for (let request = 0; request < 50; request += 1) await get(client);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('rounds of ten concurrent requests need at most twenty connections', async () => {
    const server = await start();
    const client = connect(server.config());
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => get(client)));
    expect(server.connections).toBeLessThanOrEqual(20);
  });

  it('connections over TLS are shared as well, with any CA', async () => {
    const server = await start(tls('old'));
    const client = connect(server.config({}, { caFile: path('old.crt') }));
    for (let request = 0; request < 10; request += 1) await get(client);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('connections are new after a rotation, while an old watch goes on to its end', async () => {
    const server = await start();
    const config = server.config();
    const client = connect(config);
    const names: string[] = [];
    const watch = (async () => {
      const options = { resourceVersion: String(server.store.version), timeoutSeconds: 600 };
      for await (const { object } of client.watch(kinds.ConfigMap, undefined, options))
        names.push(object.metadata.name);
    })();
    await server.untilWatched();
    await get(client);
    const before = server.connections;
    client.renewConnections();
    await get(client);
    expect(server.connections).toBe(before + 1);
    server.store.put(kinds.ConfigMap, { namespace: 'n', name: 'b' });
    await eventually('the old watch gets its event', () => names.includes('b'));
    server.endWatches();
    await watch;
    await eventually('the old connections are closed', () => server.openSockets === 1);
  });

  it('connections end when the configuration is closed, and pending requests fail', async () => {
    const server = await start();
    const config = server.config();
    server.next('other', () => undefined);
    const asked = expect(get(connect(config))).rejects.toMatchObject({ code: 'Unreachable' });
    await eventually('the request has arrived', () => server.countOf('other') === 1);
    await config.closeConnections();
    await asked;
    await eventually('no socket is left', () => server.openSockets === 0);
  });
});

describe('credentials that are rotated', () => {
  it('a new token in the file is used by the next request', async () => {
    const server = await start();
    writeFileSync(path('token'), 'first\n');
    const client = connect(
      server.config({ authProvider: { name: 'tokenFile', config: { tokenFile: path('token') } } }),
    );
    await get(client);
    writeFileSync(path('token'), 'second\n');
    await get(client);
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('a new CA in the file makes new connections', async () => {
    writeFileSync(path('ca.crt'), readFileSync(path('old.crt')));
    const before = await start(tls('old'));
    const cluster = { name: 'c', server: before.url, caFile: path('ca.crt'), skipTLSVerify: false };
    const config = before.config({}, cluster);
    await get(connect(config));
    const after = await start(tls('new'));
    config.loadFromClusterAndUser({ ...cluster, server: after.url }, { name: 'u' });
    const client = connect(config);
    await expect(get(client)).rejects.toMatchObject({ code: 'Unreachable' });
    writeFileSync(path('ca.crt'), readFileSync(path('new.crt')));
    await expect(get(client)).resolves.toMatchObject({ metadata: { name: 'a' } });
  });

  it('a server with a certificate of an unknown CA is refused', async () => {
    const server = await start(tls('new'));
    await expect(
      get(connect(server.config({}, { caFile: path('old.crt') }))),
    ).rejects.toMatchObject({ code: 'Unreachable' });
    expect(server.asked).toEqual([]);
  });
});
