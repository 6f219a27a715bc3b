// Which size does the group want? The proposal of its policy, within the bounds; if spec.replicas
// is omitted, the size that gives each member its current replicas.
import type { SwarmGroupSpec } from '../api/validate.ts';
import type { Reason } from '../core/reason.ts';
import { isFree } from './members/members.ts';
import { rulesOf, sizesGiving } from './members/rules.ts';
import { type Bounds, bounded, boundsNow, nextDueInMs, timetableOf } from './policy/bounds.ts';
import { type Metric, metricNow } from './policy/metric.ts';
import type { Proposal } from './policy/proposal.ts';
import { proposalOf } from './policy/propose.ts';
import {
  type LimitReason,
  type ProposalReason,
  type RequestReason,
  requestReasons,
} from './reasons.ts';
import { type GroupWorld, memberName, type Timetable } from './world.ts';

export type GroupSize = {
  readonly wanted: number;
  readonly proposal: Proposal;
  /** The bound that limits it. */
  readonly limit: Reason<LimitReason> | undefined;
};

export type SizeDecision = {
  /** Undefined: there is no size yet. */
  readonly size: GroupSize | undefined;
  /** The bounds also limit other sizes, such as the size of a rollback. */
  readonly bounds: Bounds;
  /** Undefined: the policy reads no metric. */
  readonly metric: Metric | undefined;
  /** Why a different size is wanted, and the time since the leader saw that. */
  readonly request: { readonly reason: RequestReason; readonly sinceMs: number };
  /** The size that gives each member its current replicas; undefined: there is none. */
  readonly sizeThatFits: number | undefined;
  /** Passed to the next world. */
  readonly timetable: Timetable;
  /** The time after which the size may change by itself. */
  readonly sizeNextInMs: number | undefined;
};

export function decideSize(world: GroupWorld, spec: SwarmGroupSpec, now: number): SizeDecision {
  const { schedules = [], periodSeconds } = spec.policy;
  const timetable = timetableOf(schedules, world.remembered.timetable, now);
  const bounds = boundsNow(spec, timetable);
  const metric = metricNow(spec.policy, world.metric);
  const present = presentSize(world, bounds);
  const fits = sizeThatFits(world, spec, bounds);
  const facts = { world, spec, bounds, timetable, metric, present, sizeThatFits: fits };
  const proposal = proposalOf(facts);
  // At least once in a period, since the wall clock may be set meanwhile.
  const dueInMs = schedules.length === 0 ? [] : [nextDueInMs(timetable, now), periodSeconds * 1000];
  const waits = [...dueInMs, proposal?.nextInMs].filter((ms) => ms !== undefined);
  return {
    size: proposal && { proposal, ...sizeOf(proposal, bounds) },
    bounds,
    metric,
    request: requestOf(world, proposal, bounds, now),
    sizeThatFits: fits,
    timetable,
    sizeNextInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

const sizeOf = (proposal: Proposal, bounds: Bounds): Pick<GroupSize, 'wanted' | 'limit'> =>
  'limit' in proposal
    ? { wanted: proposal.replicas, limit: proposal.limit }
    : bounded(bounds, proposal.replicas);

/** The last decided size. */
function presentSize({ group: { status } }: GroupWorld, bounds: Bounds): number | undefined {
  const last = status?.proposal?.replicas ?? status?.transition?.to ?? status?.replicas;
  return last === undefined ? undefined : bounded(bounds, last).wanted;
}

/** If the policy decides the size, it is requested at the moment of the decision. */
function requestOf(
  { ages }: GroupWorld,
  { reason }: Pick<Proposal, 'reason'> = { reason: 'Manual' },
  { sinceMs = Number.NEGATIVE_INFINITY }: Bounds,
  now: number,
): SizeDecision['request'] {
  if (isRequest(reason)) return { reason, sinceMs: 0 };
  const boundsMs = Math.max(0, now - sinceMs);
  return { reason: 'SizeChanged', sinceMs: Math.min(ages.sizeMs, boundsMs) };
}

/** For all other reasons the size stays, and only bounds change it. */
const isRequest = (reason: ProposalReason | RequestReason): reason is RequestReason =>
  requestReasons.some((it) => it === reason);

function sizeThatFits(
  { members }: GroupWorld,
  spec: SwarmGroupSpec,
  bounds: Bounds,
): number | undefined {
  const ranges = members
    .filter(isFree)
    .map((member) => sizesGiving(member.found.replicas, rulesOf(spec, member, member.found.rules)));
  let [least, most] = [bounds.least.value, bounds.most.value];
  for (const range of ranges) {
    if (range === undefined) return undefined;
    [least, most] = [Math.max(least, range.least), Math.min(most, range.most)];
  }
  return ranges.length > 0 && least <= most ? least : undefined;
}

/** While these are missing, the size is not set from the members. */
export const missingMembers = ({ members }: GroupWorld): readonly string[] =>
  members
    .filter(({ found }) => found === undefined || found.isDeleting)
    .map((member) => {
      const { unread } = member;
      return unread === undefined ? memberName(member) : `${memberName(member)} (${unread.why})`;
    });
