// Where does its publisher keep the released file of a binary, and the checksum of that file?
import {
  type BinaryName,
  containerdVersion,
  etcdVersion,
  helmVersion,
  kubernetesVersion,
  releases,
} from './releases.ts';

export interface ReleasedFile {
  readonly url: string;
  /** The binary's path in the archive; undefined: the file is the binary. */
  readonly member: string | undefined;
  /** A file with this checksum alone, or with a line `<checksum>  <file>` for each file. */
  readonly checksumUrl: string;
}

/** Undefined: it is built from the source in this repository. */
export function releasedFileOf(name: BinaryName, arch: string): ReleasedFile | undefined {
  switch (releases[name].publisher) {
    case 'kubernetes': {
      const url = `https://dl.k8s.io/release/${kubernetesVersion}/bin/linux/${arch}/${name}`;
      return { url, member: undefined, checksumUrl: `${url}.sha256` };
    }
    case 'etcd': {
      const folder = `https://github.com/etcd-io/etcd/releases/download/${etcdVersion}`;
      const archive = `etcd-${etcdVersion}-linux-${arch}`;
      return {
        url: `${folder}/${archive}.tar.gz`,
        member: `${archive}/${name}`,
        checksumUrl: `${folder}/SHA256SUMS`,
      };
    }
    case 'containerd': {
      const folder = `https://github.com/containerd/containerd/releases/download/${containerdVersion}`;
      const url = `${folder}/containerd-${containerdVersion.slice(1)}-linux-${arch}.tar.gz`;
      return { url, member: `bin/${name}`, checksumUrl: `${url}.sha256sum` };
    }
    case 'helm': {
      const url = `https://get.helm.sh/helm-${helmVersion}-linux-${arch}.tar.gz`;
      return { url, member: `linux-${arch}/${name}`, checksumUrl: `${url}.sha256sum` };
    }
    case 'project':
      return undefined;
  }
}

/** The checksum of one file in what its publisher tells; undefined: it tells none. */
export function checksumIn(text: string, url: string): string | undefined {
  const name = url.slice(url.lastIndexOf('/') + 1);
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const [checksum] =
    lines.find(([, file]) => file?.replace(/^\*/, '') === name) ??
    (lines.length <= 2 && lines[0]?.length === 1 ? lines[0] : []);
  return checksum !== undefined && /^[0-9a-f]{64}$/.test(checksum) ? checksum : undefined;
}
