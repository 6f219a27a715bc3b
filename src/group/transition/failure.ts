// Why did a transition fail, in one word? From a fixed list, since a metric has a series for each
// word.
import type { SwarmGroupStatus } from '../../api/validate.ts';
import type { GroupWorld } from '../world.ts';

/** The first that applies. Refused: the API server refuses a member's new size. */
export const failureReasons = [
  'Refused',
  'Unschedulable',
  'ImagePullBackOff',
  'CreateContainerConfigError',
  'CrashLoopBackOff',
  'Other',
] as const;

type FailureReason = (typeof failureReasons)[number];

/** `status` is the status of the decision that gave the size up. */
export function failureReason(
  { members }: GroupWorld,
  status: SwarmGroupStatus | undefined,
): FailureReason {
  const seen = members.map(({ kind, name, found }) => {
    if (found === undefined || found.refusal !== undefined) return undefined;
    const member = status?.members?.find((it) => it.kind === kind && it.name === name);
    if (member?.state === 'Refused') return 'Refused';
    return member?.state === 'Unready' || member?.state === 'Scaling' ? found.trouble : undefined;
  });
  return failureReasons.find((reason) => seen.includes(reason)) ?? 'Other';
}
