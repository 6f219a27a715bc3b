// How is a member, and why?
import type { SwarmGroupStatus } from '../../api/validate.ts';
import { listed } from '../../core/text.ts';
import type { DesiredGroup } from '../desired-state.ts';
import { type FreeMember, isFree, isReady, type Member } from '../members/members.ts';
import { whyNotReady } from '../members/ready-text.ts';

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
  const { found, conflict, unread } = member;
  if (unread !== undefined) return { state: 'Refused', message: unread.why };
  if (found === undefined) return { state: 'Missing', message: 'not found' };
  if (found.isDeleting) return { state: 'Missing', message: 'being deleted' };
  if (conflict !== undefined) return { state: 'Conflicted', message: conflict.message };
  if (found.refusal !== undefined) return { state: 'Refused', message: found.refusal };
  return isFree(member) ? freeState(desired, member) : { state: 'Refused' };
}

function freeState(desired: DesiredGroup, member: FreeMember): State {
  const { found, target, key, scaleRefused } = member;
  const { isPaused, size, moving } = desired;
  if (size === undefined) return { state: 'Waiting', message: 'the group has no size yet' };
  if (isReady(member)) return { state: 'Ready' };
  if (found.replicas === target) {
    const state = moving.has(key) ? 'Scaling' : 'Unready';
    return { state, message: whyNotReady(member) };
  }
  if (scaleRefused !== undefined)
    return { state: 'Refused', message: `the API server refuses ${target}: ${scaleRefused}` };
  if (moving.has(key)) return { state: 'Scaling', message: 'scaling to its new size' };
  if (isPaused) return { state: 'Waiting', message: 'the group is paused' };
  return { state: 'Waiting', message: `waiting for ${listed([...moving], MOST_TOLD)}` };
}

const MOST_TOLD = 3;
