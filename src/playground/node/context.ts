// What may a node be told when it starts, and what do its pods share?
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { Guard } from '../processes/guard.ts';
import { type Addresses, claimAddresses } from './addresses.ts';
import { type AllAddresses, findAllAddresses } from './containers/all-addresses.ts';
import { findMountMode, type MountMode, type MountWish } from './containers/mounts.ts';
import { Events } from './events.ts';
import { defaultImages, type Images } from './images.ts';
import { capacityOf } from './node-object.ts';
import { RESTART_BASE_MS } from './pods/actions.ts';
import type { Strings } from './pods/pod-spec.ts';
import { NodeApi } from './requests.ts';
import { SharedGet } from './volumes/shared-get.ts';

export type NodeOptions = {
  readonly kubeconfig: string;
  readonly name: string;
  /** The API server's client certificate (PEM): the node answers no other client. */
  readonly client: string;
  /** The local command for each image; left out: our own images and plain ones. */
  readonly images?: Images;
  readonly maxPods?: number;
  /** Shared with others; left out: one of its own. */
  readonly guard?: Guard;
  /** The sync period: how old a mounted ConfigMap may get when the pod does not change. */
  readonly configMapPeriodMs?: number;
  /** The back-off after the second crash in a row; it doubles up to 30 times as much. */
  readonly restartBackoffMs?: number;
  /** Must be well below the control plane's grace period for nodes. */
  readonly heartbeatMs?: number;
  readonly mounts?: MountWish;
  readonly random?: () => number;
  readonly onTrouble?: (message: string) => void;
};

export type NodeContext = {
  readonly nodeName: string;
  readonly hostIP: string;
  readonly maxPods: number;
  readonly dir: string;
  /** For the roots of containers. */
  readonly rootsDir: string;
  readonly nodeApi: NodeApi;
  readonly shared: SharedGet;
  readonly addresses: Addresses;
  readonly allAddresses: AllAddresses;
  readonly events: Events;
  readonly images: Images;
  readonly mountMode: MountMode;
  readonly allocatable: Strings;
  readonly clock: Clock;
  readonly guard: Guard;
  readonly configMapPeriodMs: number;
  readonly restartBackoffMs: number;
  readonly random: () => number;
  /** Reports what failed and is tried again. */
  readonly onTrouble: (message: string) => void;
};

export async function makeContext(
  options: NodeOptions,
  guard: Guard,
  { dir, rootsDir }: Pick<NodeContext, 'dir' | 'rootsDir'>,
): Promise<NodeContext> {
  const { name, maxPods = 110, random = Math.random } = options;
  const nodeApi = new NodeApi(options.kubeconfig);
  const addresses = await claimAddresses(random);
  return {
    nodeName: name,
    hostIP: '127.0.0.1',
    maxPods,
    dir,
    rootsDir,
    nodeApi,
    shared: new SharedGet(nodeApi.api),
    addresses,
    allAddresses: await findAllAddresses(addresses),
    events: new Events(nodeApi.api, name),
    images: options.images ?? defaultImages,
    mountMode: await findMountMode(options.mounts ?? 'auto', rootsDir),
    allocatable: capacityOf(maxPods),
    clock: systemClock,
    guard,
    configMapPeriodMs: options.configMapPeriodMs ?? 60_000,
    restartBackoffMs: options.restartBackoffMs ?? RESTART_BASE_MS,
    random,
    onTrouble: (message) => options.onTrouble?.(`node ${name}: ${message}`),
  };
}
