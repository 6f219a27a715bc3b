// What did the engine last observe and decide about each group, and what is shown of it?
import type { Group, GroupDetail, GroupMember } from '../../api/introspection/groups.ts';
import type { SwarmGroupStatus } from '../../api/validate.ts';
import type { BlockedBy } from '../../core/blocked.ts';
import { isTrue } from '../../core/conditions.ts';
import type { DecisionReport } from '../../core/decision.ts';
import { memoize } from '../../core/memoize.ts';
import { isPausedBy } from '../../core/pause.ts';
import { timeText } from '../../core/text.ts';
import type { GroupDecision } from '../../group/decide.ts';
import { computeDesiredState } from '../../group/desired-state.ts';
import { checkPreconditions } from '../../group/preconditions.ts';
import { statusOf, statusWhenBlocked } from '../../group/status.ts';
import type { GroupWorld } from '../../group/world.ts';
import { decisionShown, mostImportant } from './decided.ts';
import { Snapshots } from './snapshots.ts';

export type GroupSnapshot = Omit<DecisionReport<GroupWorld, GroupDecision>, 'tookMs'>;

type Seen = {
  readonly status: SwarmGroupStatus;
  readonly desiredSize?: number | undefined;
  readonly blocked?: BlockedBy<string>;
};

/** What was decided on: progress gets into status only every two seconds. */
const seenIn = memoize(({ world, now }: GroupSnapshot): Seen => {
  const { group } = world;
  if (group.meta.isDeleting) return { status: group.status ?? {} };
  const checked = checkPreconditions(world);
  if (!checked.ok) {
    const { blocked } = checked;
    return { status: statusWhenBlocked(group, blocked, now), blocked };
  }
  const desired = computeDesiredState(world, checked.spec, now);
  return { status: statusOf(world, desired, now), desiredSize: desired.size?.wanted };
});

const summaryOf = memoize((snapshot: GroupSnapshot): Group => {
  const { group, members } = snapshot.world;
  const { meta, spec } = group;
  const { status, desiredSize } = seenIn(snapshot);
  const { conditions, transition } = status;
  const { reason = '', message = '' } = mostImportant(conditions) ?? {};
  return {
    namespace: meta.namespace,
    name: meta.name,
    size: status.replicas,
    desiredSize,
    ...(spec.ok && { policy: spec.value.policy.type, order: spec.value.transition.order }),
    desiredMembers: status.desiredMembers ?? members.length,
    readyMembers: status.readyMembers ?? 0,
    desiredReplicas: sum(status.members, ({ desired = 0 }) => desired),
    readyReplicas: sum(status.members, ({ desired = 0, ready = 0 }) => Math.min(desired, ready)),
    state: transition?.state,
    isReady: isTrue(conditions, 'Ready'),
    isStalled: isTrue(conditions, 'Stalled'),
    isPaused: isPausedBy(meta, spec.ok ? spec.value : undefined),
    reason,
    message,
  };
});

const sum = (
  members: readonly GroupMember[] = [],
  count: (member: GroupMember) => number,
): number => members.reduce((total, member) => total + count(member), 0);

export function groupDetailOf(snapshot: GroupSnapshot): GroupDetail {
  const { world, decision, now } = snapshot;
  const { meta, spec } = world.group;
  const { status, blocked } = seenIn(snapshot);
  const { members = [], history = [], conditions = [], proposal, transition, times } = status;
  return {
    ...summaryOf(snapshot),
    asOf: timeText(now),
    generation: meta.generation,
    ...(spec.ok && {
      timeoutSeconds: spec.value.transition.timeoutSeconds,
      onTimeout: spec.value.transition.onTimeout,
    }),
    proposal,
    ...(world.metric.state === 'sampled' && { metricValue: world.metric.value }),
    members,
    transition: transition && transitionShown(transition),
    history: history.map(endedShown),
    times,
    conditions,
    decision: decisionShown(decision, blocked ?? world.refused),
  };
}

/** Without what only the next decision needs. */
const transitionShown = ({
  before: _,
  attempt: __,
  ...shown
}: NonNullable<SwarmGroupStatus['transition']>): NonNullable<GroupDetail['transition']> => shown;

const endedShown = ({
  attempt: _,
  ...shown
}: NonNullable<SwarmGroupStatus['history']>[number]): GroupDetail['history'][number] => shown;

export class GroupSnapshots extends Snapshots<GroupSnapshot> {
  readonly kind = 'SwarmGroup';
  readonly events = { changed: 'group', gone: 'group-gone' };
  readonly inShort = summaryOf;

  decided(key: string, { world, decision, now }: GroupSnapshot): void {
    this.keep(key, { world, decision, now });
  }
}
