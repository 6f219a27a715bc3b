// Which binaries can be had, in which versions, and what is each called where it comes from?

export const kubernetesVersion = 'v1.36.3';
export const etcdVersion = 'v3.6.8';

export interface Release {
  /** What `go build` in tools/controlplane is given. */
  readonly goPackage: string;
  /** Whose release page holds it. */
  readonly publisher: 'kubernetes' | 'etcd';
}

export type BinaryName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'kube-scheduler' | 'kubelet' | 'kube-proxy';

export const releases: Readonly<Record<BinaryName, Release>> = {
  etcd: { goPackage: 'go.etcd.io/etcd/server/v3', publisher: 'etcd' },
  'kube-apiserver': { goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver', publisher: 'kubernetes' },
  'kube-controller-manager': { goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager', publisher: 'kubernetes' },
  kubectl: { goPackage: 'k8s.io/kubernetes/cmd/kubectl', publisher: 'kubernetes' },
  'kube-scheduler': { goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler', publisher: 'kubernetes' },
  kubelet: { goPackage: 'k8s.io/kubernetes/cmd/kubelet', publisher: 'kubernetes' },
  'kube-proxy': { goPackage: 'k8s.io/kubernetes/cmd/kube-proxy', publisher: 'kubernetes' },
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
  return releases[name].publisher === 'etcd' ? etcdVersion : kubernetesVersion;
}
