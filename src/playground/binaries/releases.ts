// The binaries, their versions and where they come from.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const kubernetesVersion = 'v1.36.3';
export const etcdVersion = 'v3.6.8';
export const containerdVersion = 'v2.2.1';
export const helmVersion = 'v4.3.1';

/** Its source is in the folder of tools/ that has its name. */
type Program = 'bind' | 'coredns';

interface Release {
  /** For `go build` in the folder of tools/ whose go.mod pins it. */
  readonly goPackage: string;
  readonly module: 'controlplane' | 'node' | 'helm' | Program;
  readonly tags?: string;
  /** Built without packages that it never uses: `overlayOf` in go-flags.ts. */
  readonly isTrimmed?: boolean;
  /** The source of `project` is in this repository: it is built, never downloaded. */
  readonly publisher: 'kubernetes' | 'etcd' | 'containerd' | 'helm' | 'project';
}

const kubernetes = (command: string): Release => ({
  goPackage: `k8s.io/kubernetes/cmd/${command}`,
  module: 'controlplane',
  publisher: 'kubernetes',
  isTrimmed: command !== 'kubelet',
});
/** Without the file systems that need C libraries. */
const containerd = (command: string): Release => ({
  goPackage: `github.com/containerd/containerd/v2/cmd/${command}`,
  module: 'node',
  tags: 'no_btrfs,no_devmapper,no_zfs',
  publisher: 'containerd',
});

const helm: Release = {
  goPackage: 'helm.sh/helm/v4/cmd/helm',
  module: 'helm',
  publisher: 'helm',
};

const program = (module: Program): Release => ({ goPackage: '.', module, publisher: 'project' });

const etcd = (command: string): Release => ({
  goPackage: `go.etcd.io/etcd/${command}/v3`,
  module: 'controlplane',
  publisher: 'etcd',
  isTrimmed: true,
});

export const releases = {
  etcd: etcd('server'),
  etcdctl: etcd('etcdctl'),
  etcdutl: etcd('etcdutl'),
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  kubectl: kubernetes('kubectl'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubelet: kubernetes('kubelet'),
  'kube-proxy': kubernetes('kube-proxy'),
  containerd: containerd('containerd'),
  'containerd-shim-runc-v2': containerd('containerd-shim-runc-v2'),
  ctr: containerd('ctr'),
  helm,
  bind: program('bind'),
  coredns: program('coredns'),
} satisfies Readonly<Record<string, Release>>;

export type BinaryName = keyof typeof releases;

/** In Go's words: linux or darwin, amd64 or arm64. */
export type Platform = { readonly os: string; readonly arch: string };

export const thisPlatform: Platform = {
  os: process.platform,
  arch: process.arch === 'x64' ? 'amd64' : process.arch,
};

export function versionOf(name: BinaryName): string {
  return {
    etcd: etcdVersion,
    kubernetes: kubernetesVersion,
    containerd: containerdVersion,
    helm: helmVersion,
    project: `of tools/${name}`,
  }[releases[name].publisher];
}

export const isOurs = (name: BinaryName): boolean => releases[name].publisher === 'project';

/** In src/ as in dist/. */
export const modulesFolder = path.resolve(import.meta.dirname, '../../../tools');

/** In a cache; a binary of ours is another one when its source has changed. */
export function fileOf(name: BinaryName): string {
  if (!isOurs(name)) return name;
  const folder = path.join(modulesFolder, releases[name].module);
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(path.join(folder, file)));
  return `${name}-${hash.digest('hex').slice(0, 12)}`;
}
