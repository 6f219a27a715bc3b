// The checksums of released files that a second source tells, beside their publisher.

/**
 * SHA-256 by address. The versions stand in the addresses, so that a new version has no checksum
 * here until it is pinned. Read on 2026-11-25 from kubespray's own list of checksums. For a file
 * that is missing here the publisher's word is taken (publishers.ts), over TLS alone: the server
 * that a file comes from cannot prove that it is the right one, a second one can.
 */
export const checksums: Readonly<Record<string, string>> = {
  'https://dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubectl':
    'ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336',
  'https://dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubelet':
    '46707a53209f826ad0f0d62371ac69cd00e78fd9a8176cf5f6f87f18f7f8b718',
  'https://dl.k8s.io/release/v1.36.3/bin/linux/arm64/kubectl':
    '3d86f24401c41ae5a46ac50eef8865fe891d3647d324a0836f6c63757a126e62',
  'https://dl.k8s.io/release/v1.36.3/bin/linux/arm64/kubelet':
    '57205a5daf5883873d87b4914e1e00bdd7707acd075714788cfb0fc1f60bc414',
  'https://github.com/containerd/containerd/releases/download/v2.2.1/containerd-2.2.1-linux-amd64.tar.gz':
    'f5d8e90ecb6c1c7e33ecddf8cc268a93b9e5b54e0e850320d765511d76624f41',
  'https://github.com/containerd/containerd/releases/download/v2.2.1/containerd-2.2.1-linux-arm64.tar.gz':
    'dac15a0d412a24be8bfe6a40cec8f51829062725169f1e72ac7d120a891ef5b6',
  'https://github.com/etcd-io/etcd/releases/download/v3.6.8/etcd-v3.6.8-linux-amd64.tar.gz':
    'cf9cfe91a4856cb90eed9c99e6aee4b708db2c7888b88a6f116281f04b0ea693',
  'https://github.com/etcd-io/etcd/releases/download/v3.6.8/etcd-v3.6.8-linux-arm64.tar.gz':
    '438f56a700d17ce761510a3e63e6fa5c1d587b2dd4d7a22c179c09a649366760',
};
