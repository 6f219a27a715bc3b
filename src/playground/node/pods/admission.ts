// Admission of a pod to this node, with its address.
import { closedTo } from '../containers/reachable.ts';
import type { NodeContext } from '../context.ts';
import type { Tell } from '../events.ts';
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
  { addresses, mountMode, images, nodeName }: NodeContext,
  tell: Tell,
): Admission {
  const { blocking, notable, harmless } = unsupportedIn(pod, {
    isRoot: process.getuid?.() === 0,
    mounts: mountMode,
    closedTo: (each, container) => closedTo(each, container, images),
  });
  const unenforced = `not enforced for processes of the playground: ${harmless.join(', ')}`;
  if (notable.length > 0)
    tell('Warning', 'NotSupported', `the playground does not do this: ${notable.join('; ')}`);
  if (harmless.length > 0) tell('Normal', 'NotEnforced', unenforced);
  if (addresses.limitation !== undefined) tell('Warning', 'NotSupported', addresses.limitation);
  const podIP = addresses.take();
  let blocked: AdmissionRefusal | undefined;
  const block = (reason: string, message: string): void => {
    tell('Warning', reason, message);
    blocked = { reason, message };
  };
  if (blocking.length > 0)
    block('NotSupported', `the playground cannot run this pod: ${blocking.join('; ')}`);
  if (podIP === undefined)
    block('FailedCreatePodSandBox', `node ${nodeName} has no free pod address`);
  return { podIP, blocked };
}
