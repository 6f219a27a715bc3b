// Does a missing or wrong kubeconfig get an error that says what is wrong, and how to give one?
import '@kubernetes/client-node';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { loadKubeConfig } from '../../../../src/runtime/client/load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
const { KUBECONFIG, HOME } = process.env;
const how = 'name one by --kubeconfig FILE or KUBECONFIG=FILE';

afterEach(() => {
  for (const [name, value] of Object.entries({ KUBECONFIG, HOME }))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(content: object | string): string {
  const file = join(folder, `${crypto.randomUUID()}.yaml`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const cluster = (server: string, options: object = {}): object => ({
  clusters: [{ name: 'c', cluster: { server, ...options } }],
  contexts: [
    { name: 'one', context: { cluster: 'c', user: '' } },
    { name: 'astray', context: { cluster: 'gone', user: '' } },
  ],
  users: [],
  'current-context': 'one',
});

it('an error says so when there is no kubeconfig at all', () => {
  delete process.env['KUBECONFIG'];
  process.env['HOME'] = folder;
  expect(() => loadKubeConfig()).toThrow(
    `no kubeconfig: KUBECONFIG is not set and ~/.kube/config does not exist; ${how}`,
  );
});

it('an error names a kubeconfig that does not exist, by flag or by KUBECONFIG', () => {
  const file = join(folder, 'missing');
  const message = `the kubeconfig ${file} does not exist; ${how}`;
  expect(() => loadKubeConfig({ file })).toThrow(message);
  process.env['KUBECONFIG'] = `${written(cluster('https://a'))}:${file}`;
  expect(() => loadKubeConfig()).toThrow(message);
});

it('a kubeconfig that is a folder, not YAML, or empty is refused', () => {
  expect(() => loadKubeConfig({ file: folder })).toThrow(
    `cannot read the kubeconfig ${folder}: EISDIR`,
  );
  for (const text of ['{a: [', '']) {
    const file = written(text);
    expect(() => loadKubeConfig({ file })).toThrow(`cannot use the kubeconfig ${file}: `);
  }
});

it.each([
  ['gone', cluster('https://a'), 'has no context "gone"; its contexts are one, astray'],
  ['astray', cluster('https://a'), 'has no cluster for its context "astray"'],
  [
    undefined,
    { ...cluster('https://a'), 'current-context': '' },
    'has no current context; its contexts are one, astray',
  ],
  [undefined, { clusters: [], users: [], contexts: [] }, 'has no context'],
])('the context %p of a kubeconfig is refused with the reason', (context, content, message) => {
  expect(() => loadKubeConfig({ file: written(content), context })).toThrow(
    `the kubeconfig ${message}`,
  );
});

it('a server without TLS is refused, unless insecure-skip-tls-verify is set', () => {
  expect(() => loadKubeConfig({ file: written(cluster('http://a:8001')) })).toThrow(
    'the server in the kubeconfig is http://a:8001; allowed is https, or http with insecure-skip-tls-verify',
  );
  const file = written(cluster('http://a:8001', { 'insecure-skip-tls-verify': true }));
  expect(loadKubeConfig({ file }).getCurrentCluster()?.server).toBe('http://a:8001');
});
