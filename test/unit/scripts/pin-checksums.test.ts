import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from '@jest/globals';
import { publishedChecksums } from '../../../scripts/pin-checksums.ts';
import { etcdVersion, kubernetesVersion } from '../../../src/playground/binaries/releases.ts';

const sum = (digit: string): string => digit.repeat(64);

async function published(
  files: (path: string) => string | undefined,
): Promise<Record<string, string>> {
  const server = createServer(({ url = '' }, response) => {
    const text = files(url);
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  return publishedChecksums({ kubernetesUrl: `${url}/k8s`, etcdUrl: `${url}/etcd` }).finally(() =>
    server.close(),
  );
}

const etcdSums = `${sum('1')}  etcd-${etcdVersion}-linux-amd64.tar.gz\n${sum('2')}  etcd-${etcdVersion}-linux-arm64.tar.gz\n`;
const all = (path: string): string | undefined => {
  if (path === `/etcd/${etcdVersion}/SHA256SUMS`) return etcdSums;
  return path.startsWith(`/k8s/${kubernetesVersion}/bin/linux/`) && path.endsWith('.sha256')
    ? `${sum('a')}\n`
    : undefined;
};

it('finds a checksum for every downloadable file, for both processors', async () => {
  const found = await published(all);
  expect(found).toMatchObject({
    [`${etcdVersion}/etcd-${etcdVersion}-linux-amd64.tar.gz`]: sum('1'),
    [`${etcdVersion}/etcd-${etcdVersion}-linux-arm64.tar.gz`]: sum('2'),
    [`${kubernetesVersion}/bin/linux/amd64/kube-apiserver`]: sum('a'),
    [`${kubernetesVersion}/bin/linux/arm64/kubectl`]: sum('a'),
  });
  expect(Object.keys(found).filter((file) => file.includes('containerd'))).toEqual([]);
});

it.each([
  ['a page', () => '<html>', 'tells no SHA-256'],
  [
    'other files',
    (path: string) => (path.startsWith('/etcd') ? `${sum('1')}  other.tar.gz` : all(path)),
    'tells no SHA-256',
  ],
  ['nothing', () => undefined, 'answered 404'],
])('refuses an answer that is %s', async (_, files, says) => {
  await expect(published(files)).rejects.toThrow(says);
});
