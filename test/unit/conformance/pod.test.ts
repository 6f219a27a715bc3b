// A pod is reached through the API server with the user's own credentials; where that is refused,
// at its own address.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { findPod } from '../../../src/conformance/pod.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'swarm-pod-'));
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const podPath = '/api/v1/namespaces/swarm/pods/w-0';

/** An API server that knows one pod, and answers for it what `proxied` says. */
async function cluster(proxied: {
  readonly status: number;
  readonly body: string;
}): Promise<{ readonly file: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const port = await serving((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const isPod = request.url === podPath;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'w-0', namespace: 'swarm', uid: 'u-1' },
      status: { podIP: '127.0.0.1' },
    };
    response
      .writeHead(isPod ? 200 : proxied.status)
      .end(isPod ? JSON.stringify(pod) : proxied.body);
  });
  const file = path.join(mkdtempSync(path.join(folder, 'cluster-')), 'kubeconfig');
  const config = {
    clusters: [
      {
        name: 'c',
        cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true },
      },
    ],
    users: [{ name: 'u', user: { token: 'secret' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'swarm' } }],
    'current-context': 'x',
  };
  writeFileSync(file, JSON.stringify(config));
  return { file, asked };
}

it('worker-check probes a pod through the API server, in the namespace of the context', async () => {
  const { file, asked } = await cluster({ status: 200, body: '{"version":3}' });
  const pod = await findPod('w-0', {
    kubeconfig: file,
    context: undefined,
    namespace: undefined,
    port: 9191,
  });
  if (typeof pod === 'string') throw new Error(pod);
  expect(pod.uid).toBe('u-1');
  expect(await pod.ask('/internal/health')).toMatchObject({
    ok: true,
    status: 200,
    text: '{"version":3}',
  });
  expect(asked).toContain(`GET ${podPath}:9191/proxy/internal/health Bearer secret`);
});

it('worker-check probes the pod itself, without credentials, if the API server refuses', async () => {
  const headers: (string | undefined)[] = [];
  const port = await serving((request, response) => {
    headers.push(request.headers.authorization);
    response.end('{"version":4}');
  });
  const { file } = await cluster({ status: 403, body: 'address not allowed' });
  const pod = await findPod('swarm/w-0', {
    kubeconfig: file,
    context: undefined,
    namespace: undefined,
    port,
  });
  if (typeof pod === 'string') throw new Error(pod);
  expect(await pod.ask('/internal/version')).toMatchObject({ text: '{"version":4}' });
  expect(headers).toEqual([undefined, undefined]);
});

it('worker-check reports the answer of the API server if neither way works', async () => {
  const { file } = await cluster({ status: 403, body: 'pods "w-0" is forbidden' });
  const pod = await findPod('swarm/w-0', {
    kubeconfig: file,
    context: undefined,
    namespace: undefined,
    port: 1,
  });
  if (typeof pod === 'string') throw new Error(pod);
  expect(await pod.ask('/internal/version')).toMatchObject({
    status: 403,
    text: 'pods "w-0" is forbidden',
  });
});
