// Does a command say which server it cannot reach, and where it has its address from?
import { createServer } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { status } from '../../../../src/cli/commands/status.ts';
import { Files, ran } from '../ran.ts';

const files = new Files();
afterAll(() => files.remove());

/** Nothing listens there any more. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it('a command that reaches no API server names its address, the kubeconfig and the context', async () => {
  const server = `https://127.0.0.1:${await freePort()}`;
  const kubeconfig = files.write(
    'kubeconfig.yaml',
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'dev' },
      clusters: [{ name: 'far', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'me', user: { token: 'secret' } }],
      contexts: [{ name: 'dev', context: { cluster: 'far', user: 'me' } }],
    }),
  );
  const { code, stderr } = await ran(status, 'tv', '--kubeconfig', kubeconfig);
  expect(stderr).toContain(
    `cannot reach the API server ${server} (context "dev" of ${kubeconfig}): `,
  );
  expect(stderr).toContain('ECONNREFUSED');
  expect(stderr).not.toContain('secret');
  expect(code).toBe(2);
});
