// How are containerd, its network plug-in and the kubelet of a node configured?
import { clusterDomain } from './dns.ts';
import { hostAddress } from './host.ts';

export type Place = {
  /** The folder of all the node's data. */
  readonly folder: string;
  readonly podSubnet: string;
};

export const socketIn = (folder: string): string => `${folder}/containerd.sock`;

/** No AppArmor; and where root lacks CAP_SYS_RESOURCE, it cannot lower a process's OOM score. */
export const containerdSettings = ({ folder }: Place): string => `
version = 3
root = "${folder}/containerd"
state = "${folder}/containerd-state"
[grpc]
  address = "${socketIn(folder)}"
[ttrpc]
  address = "${socketIn(folder)}.ttrpc"
# Two nodes of one machine would fight for its socket, which has one place.
[plugins.'io.containerd.nri.v1.nri']
  disable = true
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "docker.io/library/pause:e2e"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
[plugins.'io.containerd.cri.v1.runtime'.containerd]
  default_runtime_name = "runc"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  BinaryName = "runc"
  SystemdCgroup = false
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ["/usr/lib/cni"]
  conf_dir = "${folder}/cni"
`;

/**
 * Point to point: all traffic between pods is routed, so that Services work also between two pods
 * of one node.
 */
export const podNetworkSettings = ({ folder, podSubnet }: Place): object => ({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: podSubnet }]],
        routes: [{ dst: '0.0.0.0/0' }],
        dataDir: `${folder}/addresses`,
      },
    },
  ],
});

export const kubeletSettings = ({ folder }: Place): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  cgroupDriver: 'cgroupfs',
  // Pods are directly below: the cgroups above belong to the machine, and a test must not change
  // them.
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  failCgroupV1: false,
  failSwapOn: false,
  containerRuntimeEndpoint: `unix://${socketIn(folder)}`,
  clusterDNS: [hostAddress],
  clusterDomain,
  podLogsDir: `${folder}/logs`,
  evictionHard: { 'nodefs.available': '1%', 'imagefs.available': '1%' },
  imageGCHighThresholdPercent: 100,
  nodeLeaseDurationSeconds: 12,
  maxPods: 250,
});
