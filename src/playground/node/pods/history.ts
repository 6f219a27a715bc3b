// What does a pod's status say of a time before this node looked at it?
import { asList, asNumber, asString, dig, type KubeObject } from '../../../api/objects.ts';
import type { StatusInputs } from './status.ts';

export type FormerOutcome = NonNullable<StatusInputs['outcome']>;

export function formerOutcome(object: KubeObject): FormerOutcome | undefined {
  const phase = dig(object, 'status', 'phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const reason = asString(dig(object, 'status', 'reason'));
  const message = asString(dig(object, 'status', 'message'));
  return {
    phase,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

/** Processes of an earlier node of this name are gone: to the pod this is one more restart. */
export function formerRestarts(object: KubeObject, container: string): number {
  const statuses = [
    ...asList(dig(object, 'status', 'initContainerStatuses')),
    ...asList(dig(object, 'status', 'containerStatuses')),
  ];
  const status = statuses.find((entry) => dig(entry, 'name') === container);
  return (
    (asNumber(dig(status, 'restartCount')) ?? 0) + (asString(dig(status, 'containerID')) ? 1 : 0)
  );
}

export function formerStart(object: KubeObject): number | undefined {
  return Date.parse(asString(dig(object, 'status', 'startTime')) ?? '') || undefined;
}
