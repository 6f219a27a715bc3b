import { describe, expect, it } from '@jest/globals';
import { comparePins } from '../../../scripts/pin-checksums.ts';
import { etcdVersion } from '../../../src/playground/binaries/releases.ts';

const sum = (digit: string): string => digit.repeat(64);
const etcd = (arch: string): string =>
  `https://github.com/etcd-io/etcd/releases/download/${etcdVersion}/etcd-${etcdVersion}-linux-${arch}.tar.gz`;
const nameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

const answers = async (url: string): Promise<string> => {
  if (url.endsWith('SHA256SUMS'))
    return `${sum('1')}  ${nameOf(etcd('amd64'))}\n${sum('2')}  ${nameOf(etcd('arm64'))}\n`;
  const file = nameOf(url).replace(/\.sha256(sum)?$/, '');
  return url.endsWith('sum') ? `${sum('a')}  ${file}\n` : `${sum('a')}\n`;
};

describe('pinned checksums', () => {
  it("pinned checksums are compared with the publishers', for both processors", async () => {
    const found = await comparePins(
      { [etcd('amd64')]: sum('1'), [etcd('arm64')]: sum('3') },
      answers,
    );
    expect(found.filter(({ verdict }) => verdict !== 'not pinned')).toEqual([
      { url: etcd('amd64'), published: sum('1'), verdict: 'the same' },
      { url: etcd('arm64'), published: sum('2'), verdict: 'differs' },
    ]);
    expect(found.map(({ url }) => nameOf(url))).toEqual(
      expect.arrayContaining(['kube-apiserver', 'kubelet', 'kube-proxy']),
    );
  });

  it('pinned checksums need an answer with a checksum of each file', async () => {
    await expect(comparePins({}, async () => '<html>')).rejects.toThrow('has no SHA-256 for');
  });
});
