// What the status of a pod says of the time before this node ran it.
import { asList, asNumber, asString, dig, type KubeObject } from '../../../api/objects.ts';
import type { PodOutcome } from './status.ts';

export function formerOutcome(object: KubeObject): PodOutcome | undefined {
  const phase = dig(object, 'status', 'phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const reason = asString(dig(object, 'status', 'reason'));
  const message = asString(dig(object, 'status', 'message'));
  return { phase, reason, message };
}

/** A container that ran on a former node of this name is restarted here. */
export function formerRestarts(object: KubeObject, container: string): number {
  const status = ['initContainerStatuses', 'containerStatuses']
    .flatMap((list) => asList(dig(object, 'status', list)))
    .find((entry) => dig(entry, 'name') === container);
  const restarts = asNumber(dig(status, 'restartCount')) ?? 0;
  return dig(status, 'containerID') ? restarts + 1 : restarts;
}

export function formerStart(object: KubeObject): number | undefined {
  return Date.parse(asString(dig(object, 'status', 'startTime')) ?? '') || undefined;
}
