// What the pods of a node share.
import type { Clock } from '../../runtime/clock.ts';
import type { Guard } from '../processes/guard.ts';
import type { Addresses } from './addresses.ts';
import type { MountMode } from './containers/mounts.ts';
import type { Events } from './events.ts';
import type { Images } from './images.ts';
import type { Strings } from './pods/pod-spec.ts';
import type { NodeApi } from './requests.ts';
import type { SharedGet } from './volumes/shared-get.ts';

export type NodeContext = {
  readonly nodeName: string;
  readonly hostIP: string;
  readonly dir: string;
  readonly nodeApi: NodeApi;
  readonly shared: SharedGet;
  readonly addresses: Addresses;
  readonly events: Events;
  readonly images: Images;
  readonly mountMode: MountMode;
  readonly allocatable: Strings;
  readonly clock: Clock;
  readonly guard: Guard | undefined;
  readonly configMapPeriodMs: number;
  readonly restartBackoffMs: number;
  readonly random: () => number;
  /** Reports what failed and is tried again. */
  readonly onTrouble: (message: string) => void;
};
