// What has become of the size that was asked for? By the group's status alone.
import type { SwarmGroup, SwarmGroupStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import { isCurrent, readyOf } from '../views/state.ts';

export type GroupTransition = NonNullable<SwarmGroupStatus['transition']>;

export type SizeOutcome =
  | { readonly is: 'awaited' }
  /** Without a transition: nothing had to be scaled. */
  | { readonly is: 'reached'; readonly transition: GroupTransition | undefined }
  | {
      readonly is: 'failed';
      readonly transition: GroupTransition | undefined;
      readonly why: string;
    }
  /** Something else scaled or took a member: its time says nothing. */
  | { readonly is: 'disturbed'; readonly why: string };

const awaited: SizeOutcome = { is: 'awaited' };

export function outcomeOf(group: SwarmGroup, size: number): SizeOutcome {
  const { status } = group;
  const ready = readyOf(group);
  if (!isCurrent(group) || ready === undefined) return awaited;
  const why = `${ready.reason}: ${ready.message}`;
  const { transition } = status ?? {};
  if (transition?.to === size) return ofTransition(group, transition, why);
  if (ready.status === 'True' && status?.replicas === size)
    return { is: 'reached', transition: undefined };
  // At rest at another size: a schedule has moved its bounds.
  const limit = status?.conditions?.find((it) => it.type === 'Limited' && it.status === 'True');
  if (ready.status === 'True' && limit !== undefined)
    return { is: 'failed', transition: undefined, why: `${limit.reason}: ${limit.message}` };
  const isStuck = isTrue(status?.conditions, 'Stalled') || ready.reason === 'BackingOff';
  return isStuck ? { is: 'failed', transition: undefined, why } : awaited;
}

function ofTransition(
  { status }: SwarmGroup,
  transition: GroupTransition,
  why: string,
): SizeOutcome {
  const { state, reason } = transition;
  switch (state) {
    case 'Scaling':
    case 'RollingBack':
    case 'Superseded':
      return awaited;
    case 'TimedOut':
    case 'RolledBack':
      return { is: 'failed', transition, why: `${state}: ${why}` };
    case 'Completed': {
      const conflict = status?.conditions?.find(
        (it) => it.type === 'Conflicted' && it.status === 'True',
      );
      if (conflict !== undefined)
        return { is: 'disturbed', why: `${conflict.reason}: ${conflict.message}` };
      return reason === 'MemberChanged'
        ? { is: 'disturbed', why: 'a member was changed during the transition, and scaled again' }
        : { is: 'reached', transition };
    }
    default:
      return state satisfies never;
  }
}
