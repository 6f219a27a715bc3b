// May a pod run on this node, and at which address?
import { closedTo } from '../containers/reachable.ts';
import type { NodeContext } from '../context.ts';
import type { Tell } from '../events.ts';
import type { NodePod } from './pod-spec.ts';
import { unsupportedIn } from './support.ts';

export type AdmissionRefusal = { readonly reason: string; readonly message: string };

export type Admission = {
  /** Taken: whoever has it gives it back. */
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
  if (notable.length > 0)
    tell('Warning', 'NotSupported', `the playground does not do this: ${notable.join('; ')}`);
  if (harmless.length > 0)
    tell(
      'Normal',
      'NotEnforced',
      `not enforced for processes of the playground: ${harmless.join(', ')}`,
    );
  const podIP = addresses.take();
  const obstacles: AdmissionRefusal[] = [];
  if (blocking.length > 0)
    obstacles.push({
      reason: 'NotSupported',
      message: `the playground cannot run this pod: ${blocking.join('; ')}`,
    });
  if (podIP === undefined)
    obstacles.push({
      reason: 'FailedCreatePodSandBox',
      message: `node ${nodeName} has no free pod address`,
    });
  for (const { reason, message } of obstacles) tell('Warning', reason, message);
  if (addresses.limitation !== undefined) tell('Warning', 'NotSupported', addresses.limitation);
  return { podIP, blocked: obstacles.at(-1) };
}
