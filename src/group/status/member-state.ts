// How is a member, and why?
import type { SwarmGroupStatus } from '../../api/validate.ts';
import type { DesiredGroup } from '../desired-state.ts';
import { type FreeMember, isFree, isSettled, type Member } from '../members/members.ts';

export type MemberStatus = NonNullable<SwarmGroupStatus['members']>[number];

type State = Pick<MemberStatus, 'state' | 'message'>;

export function memberStatus(desired: DesiredGroup, member: Member): MemberStatus {
  const { kind, name, found, target, rules } = member;
  return {
    kind,
    name,
    ...(desired.spec.transition.order === 'Staged' && { stage: rules.stage }),
    ...(desired.size !== undefined && { desired: target }),
    ...(found !== undefined && { replicas: found.replicas, ready: found.size.ready }),
    ...stateOf(desired, member),
  };
}

function stateOf(desired: DesiredGroup, member: Member): State {
  const { found, conflict } = member;
  if (found === undefined) return { state: 'Missing', message: 'it is not there' };
  if (found.isDeleting) return { state: 'Missing', message: 'it is being deleted' };
  if (conflict !== undefined) return { state: 'Conflicted', message: conflict.message };
  if (found.refusal !== undefined) return { state: 'Refused', message: found.refusal };
  if (!isFree(member)) return { state: 'Refused' };
  return freeState(desired, member);
}

function freeState(desired: DesiredGroup, member: FreeMember): State {
  const { found, target } = member;
  const { isPaused, size, backsOff, moving, transition } = desired;
  if (size === undefined) return { state: 'Waiting', message: 'the group has no size yet' };
  if (isSettled(member)) return { state: 'Ready' };
  if (found.replicas === target) {
    const state = moving.has(member.key) ? 'Scaling' : 'Unready';
    return { state, message: unready(member) };
  }
  if (moving.has(member.key)) return { state: 'Scaling', message: 'its new size is on its way' };
  if (isPaused) return { state: 'Waiting', message: 'the group is paused' };
  if (backsOff)
    return { state: 'Waiting', message: `size ${size.wanted} timed out, and is tried again later` };
  const other = transition?.state === 'RollingBack' ? 'goes back' : 'is ready';
  return { state: 'Waiting', message: `another stage ${other} first` };
}

function unready({ found, target }: FreeMember): string {
  const { generation, observedGeneration, present, ready } = found.size;
  if (observedGeneration < generation) return 'its controller has not seen its new size yet';
  if (present > target) return `${present} are there, ${target} are wanted`;
  if (ready < target) return `${ready} of ${target} are ready`;
  return found.kind === 'SwarmPool' ? 'its workers have not converged' : 'not ready';
}
