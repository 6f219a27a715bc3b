// Which status does the group get? It is computed anew from the observed objects.
import type { SwarmGroup, SwarmGroupStatus } from '../api/validate.ts';
import { type BlockedBy, blockedConditions } from '../core/blocked.ts';
import { nextConditions } from '../core/conditions.ts';
import { listed, timeText } from '../core/text.ts';
import type { DesiredGroup } from './desired-state.ts';
import { type FreeMember, isFree, isReady, type Member, whyNotReady } from './members/members.ts';
import type { GroupObstacleReason } from './reasons.ts';
import type { GroupSize } from './size.ts';
import { conditionTypes, groupConditions, type MemberStatus } from './status/conditions.ts';
import { timesIn } from './transition/transition.ts';
import type { GroupWorld, MemberRules } from './world.ts';

/** Keeps only the size, the last random size, the transition and the history. */
export function statusWhenBlocked(
  { meta, status }: SwarmGroup,
  blocked: BlockedBy<GroupObstacleReason>,
  now: number,
): SwarmGroupStatus {
  const { replicas, selector, drawn, transition, history, times } = status ?? {};
  const wanted = blockedConditions(conditionTypes, blocked);
  return {
    observedGeneration: meta.generation,
    ...(replicas !== undefined && { replicas }),
    ...(selector !== undefined && { selector }),
    ...(drawn !== undefined && { drawn }),
    ...(transition !== undefined && { transition }),
    ...(history !== undefined && { history }),
    ...(times !== undefined && { times }),
    conditions: nextConditions(status?.conditions, wanted, meta.generation, timeText(now)),
  };
}

export function statusOf(world: GroupWorld, desired: DesiredGroup, now: number): SwarmGroupStatus {
  const { meta, status: before } = world.group;
  const { size, sizeHeld, transition, history } = desired;
  const members = desired.members.map((member) => memberStatus(desired, member));
  const wanted = groupConditions(world, desired, members);
  return {
    observedGeneration: meta.generation,
    ...(sizeHeld !== undefined && { replicas: sizeHeld }),
    selector: selectorOf(world.group, desired),
    desiredMembers: members.length,
    readyMembers: members.filter(({ state }) => state === 'Ready').length,
    members,
    ...(size !== undefined && { proposal: proposalOf(desired, size, members, before) }),
    ...(size?.proposal.drawn !== undefined && { drawn: size.proposal.drawn }),
    ...(transition !== undefined && { transition }),
    history,
    times: timesIn(history),
    conditions: nextConditions(before?.conditions, wanted, meta.generation, timeText(now)),
  };
}

function proposalOf(
  { isPaused }: DesiredGroup,
  { proposal: { replicas, reason, message, isCarried } }: GroupSize,
  members: readonly MemberStatus[],
  before: SwarmGroupStatus | undefined,
): NonNullable<SwarmGroupStatus['proposal']> {
  if (isCarried === true && before?.proposal !== undefined) return before.proposal;
  const changes = members
    .filter(({ desired, replicas: present }) => present !== undefined && desired !== present)
    .map(
      ({ kind, name, desired, replicas: present }) => `${kind}/${name} ${present} -> ${desired}`,
    );
  const would = changes.length === 0 ? 'would change nothing' : `would scale ${changes.join(', ')}`;
  return { replicas, reason, message: isPaused ? `${message}; ${would}` : message };
}

/**
 * Selects the pods of a member with one pod for each unit of the size, since an autoscaler
 * multiplies by the number of selected pods. The choice depends on the spec, not on the current
 * size, so that it changes only with edits. Without such a member, no pod has the label, and an
 * autoscaler on a total value still works.
 */
function selectorOf({ meta }: SwarmGroup, { members }: DesiredGroup): string {
  const [first] = members
    .filter(isFree)
    .filter(({ rules, found }) => Number(rules.ratio) === 1 && found.selector !== '')
    .sort((a, b) => byWidestBounds(a.rules, b.rules));
  return first?.found.selector ?? `k8slab.info/group=${meta.name}`;
}

/** The member with the widest bounds comes first. */
const byWidestBounds = (a: MemberRules, b: MemberRules): number =>
  a.maxReplicas === b.maxReplicas ? a.minReplicas - b.minReplicas : b.maxReplicas - a.maxReplicas;

const MOST_TOLD = 3;

type State = Pick<MemberStatus, 'state' | 'message'>;

/** The state of a member, and the reason. */
function memberStatus(desired: DesiredGroup, member: Member): MemberStatus {
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
