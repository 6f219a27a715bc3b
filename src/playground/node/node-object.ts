// The labels and the status of the Node object.
import { availableParallelism, release, totalmem } from 'node:os';
import { timeText } from '../../core/text.ts';
import { kubernetesVersion, thisPlatform } from '../binaries/releases.ts';
import type { Strings } from './pods/pod-spec.ts';

export type NodeIdentity = {
  readonly name: string;
  readonly hostIP: string;
  readonly kubeletPort: number;
  readonly maxPods: number;
  readonly labels: Strings;
};

/** On nodes of the playground, not on others of the same control plane, such as simulated ones. */
export const PLAYGROUND_LABEL = 'k8slab.info/playground';

export function labelsOf({ name, labels }: NodeIdentity): Strings {
  const machine = {
    'kubernetes.io/os': thisPlatform.os,
    'kubernetes.io/arch': thisPlatform.arch,
  };
  return { ...machine, 'kubernetes.io/hostname': name, [PLAYGROUND_LABEL]: 'true', ...labels };
}

export function capacityOf(maxPods: number): Strings {
  return {
    cpu: String(availableParallelism()),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    'ephemeral-storage': '100Gi',
    pods: String(maxPods),
  };
}

/** `since`: when the node became ready. */
export function nodeStatusOf(
  identity: NodeIdentity,
  since: number,
  now: number,
): Record<string, unknown> {
  const { name, hostIP, kubeletPort, maxPods } = identity;
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: timeText(now),
    lastTransitionTime: timeText(since),
  });
  const running = 'the playground node runs pods as local processes';
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) =>
    condition(type, 'False', 'NotMeasured', 'the playground does not measure this'),
  );
  return {
    capacity: capacityOf(maxPods),
    allocatable: capacityOf(maxPods),
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: name },
    ],
    conditions: [...pressures, condition('Ready', 'True', 'KubeletReady', running)],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    nodeInfo: {
      machineID: name,
      systemUUID: name,
      bootID: name,
      kernelVersion: release(),
      osImage: 'local processes',
      containerRuntimeVersion: 'playground://1',
      kubeletVersion: `${kubernetesVersion}-playground`,
      kubeProxyVersion: '',
      operatingSystem: thisPlatform.os,
      architecture: thisPlatform.arch,
    },
  };
}
