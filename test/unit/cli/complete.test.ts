// Which names does a shell get of a cluster, and what of one that does not answer?
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { complete } from '../../../src/cli/complete.ts';
import { Files } from './ran.ts';

const pool = {
  metadata: { name: 'tv', namespace: 'swarm', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: {
    workers: { targetRef: { name: 'worker' } },
    streams: [{ name: 'cars' }, { name: 'cars:new' }, { name: 'cnbc' }],
  },
};
const namespaces = [{ metadata: { name: 'swarm', uid: 'n', resourceVersion: '1' } }];

const itemsAt = (path: string): readonly object[] =>
  /swarm\/swarmpools$/.test(path) ? [pool] : /v1\/namespaces$/.test(path) ? namespaces : [];

let isSilent = false;
const server = createServer(({ url = '' }, response) => {
  if (isSilent) return;
  const { pathname } = new URL(url, 'http://x');
  response.setHeader('Content-Type', 'application/json');
  response.end(
    JSON.stringify({ metadata: { resourceVersion: '1' }, items: itemsAt(pathname), resources: [] }),
  );
});
const files = new Files();
let kubeconfig = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
  kubeconfig = files.write(
    'kubeconfig',
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'swarm' } }],
      'current-context': 'x',
    }),
  );
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  files.remove();
});

/** Modules are loaded slowly here. */
const LONG_MS = 60_000;

const completed = (words: readonly string[], timeoutMs = LONG_MS): Promise<string> => {
  const [command = '', ...rest] = words;
  return complete([command, '--kubeconfig', kubeconfig, ...rest], 'scripts', timeoutMs);
};

describe('a shell is offered', () => {
  it.each<[what: string, words: readonly string[], names: string]>([
    ['pools', ['status', ''], 'tv\n'],
    ['pools that begin so', ['status', 'x'], ''],
    ['pools of a namespace', ['status', '-n', 'other', ''], ''],
    ['streams of a pool', ['explain', 'tv', 'car'], 'cars\ncars:new\n'],
    ['streams to remove', ['plan', 'tv', '--remove', 'cn'], 'cnbc\n'],
    ['no streams of a pool that is not there', ['logs', 'none', ''], ''],
    ['namespaces', ['top', '-n', ''], 'swarm\n'],
  ])('%s', async (_, words, names) => expect(await completed(words)).toBe(names));
});

it('kubectl is offered them, too, and no files', async () =>
  expect(await complete(['status', '--kubeconfig', kubeconfig, ''], 'kubectl', LONG_MS)).toBe(
    'tv\n:4\n',
  ));

it('nothing is offered without a cluster, or when it does not answer in time', async () => {
  expect(await complete(['status', '--kubeconfig', '/none', ''], 'scripts')).toBe('');
  isSilent = true;
  expect(await completed(['status', ''], 100)).toBe('');
});
