// Admission of a pod to this node, with its address.
import { collisionOf } from '../containers/all-addresses.ts';
import { closedTo } from '../containers/reachable.ts';
import type { NodeContext } from '../context.ts';
import type { EventRecorder } from '../events.ts';
import type { NodePod } from './pod-spec.ts';
import { unsupportedIn } from './support.ts';

export type AdmissionRefusal = { readonly reason: string; readonly message: string };

export type Admission = {
  /** Must be given back. */
  readonly podIP: string | undefined;
  readonly blocked: AdmissionRefusal | undefined;
};

export function admit(
  pod: NodePod,
  { addresses, allAddresses, mountMode, images, nodeName }: NodeContext,
  record: EventRecorder,
): Admission {
  const { blocking, notable, harmless } = unsupportedIn(pod, {
    isRoot: process.getuid?.() === 0,
    mounts: mountMode,
    closedTo: (each, container) => closedTo(each, container, images),
    collision: (containers) => collisionOf(containers, images, allAddresses),
  });
  const unenforced = `not enforced for processes of the playground: ${harmless.join(', ')}`;
  if (notable.length > 0)
    record('Warning', 'NotSupported', `the playground does not do this: ${notable.join('; ')}`);
  if (harmless.length > 0) record('Normal', 'NotEnforced', unenforced);
  if (addresses.limitation !== undefined) record('Warning', 'NotSupported', addresses.limitation);
  const podIP = addresses.take();
  const noAddress = `node ${nodeName} has no free pod address`;
  const cannotRun = `the playground cannot run this pod: ${blocking.join('; ')}`;
  const blocked =
    podIP === undefined
      ? { reason: 'FailedCreatePodSandBox', message: noAddress }
      : blocking.length > 0
        ? { reason: 'NotSupported', message: cannotRun }
        : undefined;
  if (blocked !== undefined) record('Warning', blocked.reason, blocked.message);
  return { podIP, blocked };
}
