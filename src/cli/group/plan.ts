// Which members would be scaled to what, and in which order? By the operator's own arithmetic, from
// the group's status; nothing is touched.
import type { SwarmGroup, SwarmGroupSpec } from '../../api/validate.ts';
import { replicasAt } from '../../group/members/rules.ts';
import { isCurrent } from '../views/state.ts';
import { boundedNow } from './bounded.ts';
import { type MemberAnnotations, memberNameOf, rulesIn, type StatusMember } from './members.ts';

type Order = SwarmGroupSpec['transition']['order'];

type PlannedScale = {
  readonly member: string;
  readonly stage: number;
  readonly from: number;
  readonly to: number;
  /** Those of one turn are scaled at once; the next turn comes when they are ready. */
  readonly turn: number;
};

export type GroupPlan = {
  readonly namespace: string;
  readonly group: string;
  /** That the members have. */
  readonly size: number | undefined;
  readonly wanted: number;
  readonly order: Order;
  readonly scales: readonly PlannedScale[];
  /** They have their size. */
  readonly stay: readonly string[];
  readonly left: readonly {
    readonly member: string;
    readonly state: StatusMember['state'];
    readonly message: string;
  }[];
  readonly notes: readonly string[];
};

type Supposed = {
  /** Instead of the size that is wanted. */
  readonly replicas?: number | undefined;
  readonly annotations?: MemberAnnotations;
};

/** A text says why nothing can be planned. */
export function planGroup(
  group: SwarmGroup,
  now: number,
  { replicas, annotations = new Map() }: Supposed = {},
): GroupPlan | string {
  const { meta, spec, status } = group;
  if (!spec.ok)
    return `InvalidSpec: ${spec.problems.map(({ field, message }) => `${field}: ${message}`).join('; ')}`;
  if (status?.members === undefined) return noMembersText(group);
  const { type } = spec.value.policy;
  const own = type === 'Manual' ? spec.value.replicas : undefined;
  const proposed = replicas ?? own ?? status.proposal?.replicas;
  if (proposed === undefined) return noSizeText(type);
  const size = boundedNow(spec.value, proposed, now);
  const rulesFor = rulesIn(spec.value, annotations);
  // What the operator says of the present wish knows of a failed size and of a rollback.
  const isAsTold = replicas === undefined && isCurrent(group);
  const targetOf = (member: StatusMember): number =>
    (isAsTold ? member.desired : undefined) ?? replicasAt(size.wanted, rulesFor(member));
  const free = status.members.filter(isFree);
  const { order } = spec.value.transition;
  const moving = free.flatMap((member) => {
    const [from, to] = [member.replicas, targetOf(member)];
    const { stage } = rulesFor(member);
    return from === to ? [] : [{ member: memberNameOf(member), stage, from, to }];
  });
  return {
    namespace: meta.namespace,
    group: meta.name,
    size: status.replicas,
    wanted: size.wanted,
    order,
    scales: inTurns(order, moving),
    stay: free.filter((it) => it.replicas === targetOf(it)).map(memberNameOf),
    left: status.members
      .filter((it) => !isFree(it))
      .map((it) => ({ member: memberNameOf(it), state: it.state, message: it.message ?? '' })),
    notes: [...(size.limit === undefined ? [] : [size.limit.message]), ...notesOn(group, replicas)],
  };
}

const noSizeText = (type: SwarmGroupSpec['policy']['type']): string =>
  type === 'Manual'
    ? 'spec.replicas is not set, and the operator has not taken a size from the members yet; use --replicas N to assume one'
    : `policy.type ${type} has not proposed a size yet; use --replicas N to assume one`;

function noMembersText({ status }: SwarmGroup): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined
    ? 'no operator has reconciled the group yet'
    : `${ready.reason}: ${ready.message}`;
}

type KnownMember = StatusMember & { readonly replicas: number };

const isFree = (member: StatusMember): member is KnownMember =>
  member.replicas !== undefined && !['Missing', 'Conflicted', 'Refused'].includes(member.state);

/** Members grow by stage, and shrink in reverse; those that grow do not wait for the others. */
function inTurns(
  order: Order,
  moving: readonly Omit<PlannedScale, 'turn'>[],
): readonly PlannedScale[] {
  const grows = ({ from, to }: Omit<PlannedScale, 'turn'>): boolean => to > from;
  const stagesOf = (isUp: boolean): readonly number[] =>
    [...new Set(moving.filter((it) => grows(it) === isUp).map(({ stage }) => stage))].sort(
      (a, b) => (isUp ? a - b : b - a),
    );
  const [up, down] = [stagesOf(true), stagesOf(false)];
  const turnOf = (it: Omit<PlannedScale, 'turn'>): number =>
    order === 'Together' ? 1 : (grows(it) ? up : down).indexOf(it.stage) + 1;
  return moving.map((it) => ({ ...it, turn: turnOf(it) })).sort((a, b) => a.turn - b.turn);
}

function notesOn(group: SwarmGroup, replicas: number | undefined): readonly string[] {
  const { spec, status } = group;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isUnderWay = ['Scaling', 'RollingBack'].includes(status?.transition?.state ?? '');
  return [
    ...(isCurrent(group) ? [] : ['the operator has not reconciled the last change yet']),
    ...(replicas === undefined && ready?.reason === 'BackingOff' ? [ready.message] : []),
    ...(isUnderWay ? [`a transition to size ${status?.transition?.to} is in progress`] : []),
    ...(spec.ok && spec.value.selector !== undefined
      ? ['the members that the selector finds are those that the operator saw last']
      : []),
  ];
}
