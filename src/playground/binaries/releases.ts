// The binaries, their versions and where they come from.

export const kubernetesVersion = 'v1.36.3';
export const etcdVersion = 'v3.6.8';
export const containerdVersion = 'v2.2.1';

interface Release {
  /** For `go build` in the folder of tools/ whose go.mod pins it. */
  readonly goPackage: string;
  readonly module: 'controlplane' | 'node';
  readonly tags?: string;
  /** Containerd, which only tests need, is built and never downloaded. */
  readonly publisher: 'kubernetes' | 'etcd' | 'containerd';
}

const kubernetes = (command: string): Release => ({
  goPackage: `k8s.io/kubernetes/cmd/${command}`,
  module: 'controlplane',
  publisher: 'kubernetes',
});
/** Without the file systems that need C libraries. */
const containerd = (command: string): Release => ({
  goPackage: `github.com/containerd/containerd/v2/cmd/${command}`,
  module: 'node',
  tags: 'no_btrfs,no_devmapper,no_zfs',
  publisher: 'containerd',
});

export type BinaryName =
  | 'etcd'
  | 'etcdutl'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kubectl'
  | 'kube-scheduler'
  | 'kubelet'
  | 'kube-proxy'
  | 'containerd'
  | 'containerd-shim-runc-v2'
  | 'ctr';

export const releases: Readonly<Record<BinaryName, Release>> = {
  etcd: { goPackage: 'go.etcd.io/etcd/server/v3', module: 'controlplane', publisher: 'etcd' },
  etcdutl: { goPackage: 'go.etcd.io/etcd/etcdutl/v3', module: 'controlplane', publisher: 'etcd' },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  kubectl: kubernetes('kubectl'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubelet: kubernetes('kubelet'),
  'kube-proxy': kubernetes('kube-proxy'),
  containerd: containerd('containerd'),
  'containerd-shim-runc-v2': containerd('containerd-shim-runc-v2'),
  ctr: containerd('ctr'),
};

export interface Platform {
  /** As Go says it: linux, darwin. */
  readonly os: string;
  /** As Go says it: amd64, arm64. */
  readonly arch: string;
}

export function platformOf(os: string, arch: string): Platform {
  return { os, arch: arch === 'x64' ? 'amd64' : arch };
}

export function versionOf(name: BinaryName): string {
  return { etcd: etcdVersion, kubernetes: kubernetesVersion, containerd: containerdVersion }[
    releases[name].publisher
  ];
}
