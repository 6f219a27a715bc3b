// Which members can be scaled now, and to how many replicas? A member that is missing, refused, or
// in conflict stops no other.

import { type Kind, kinds } from '../../api/kinds.ts';
import type { SwarmGroupSpec } from '../../api/validate.ts';
import { isContested, recentChanges } from '../../core/contest.ts';
import type { Reason } from '../../core/reason.ts';
import { listed } from '../../core/text.ts';
import type { Goal } from '../goal.ts';
import type { ConflictReason } from '../reasons.ts';
import { type Had, hadIn } from '../transition/transition.ts';
import {
  type GroupWorld,
  type MemberRules,
  memberName,
  type RememberedMember,
  type Scalable,
  type SeenMember,
} from '../world.ts';
import { bounded, readyEnough, replicasAt, rulesOf } from './rules.ts';

export type Member = SeenMember & {
  readonly key: string;
  readonly rules: MemberRules;
  /** The replicas that the group wants. */
  readonly target: number;
  /** The replicas that must be ready before the next stage starts. */
  readonly readyNeeded: number;
  readonly remembered: RememberedMember | undefined;
  /** The API server's message about the last scale. */
  readonly scaleRefused: string | undefined;
};

/** A member that can be scaled. */
export type FreeMember = Member & { readonly found: Scalable };

export function membersOf(
  { members, group: { status }, remembered, monotonicMs, refused }: GroupWorld,
  spec: SwarmGroupSpec,
  goal: Goal,
  isPaused: boolean,
): readonly Member[] {
  return members.map((seen) => {
    const key = memberName(seen);
    const rules = rulesOf(spec, seen, seen.found?.rules);
    const had = hadIn(status?.transition, seen);
    const target = targetOf(goal, rules, had);
    const isOurs = isFree(seen) && !isPaused;
    const after =
      seen.found && rememberedNow(remembered.members.get(key), seen.found, isOurs, monotonicMs);
    const words = refused?.scales?.find((it) => it.kind === seen.kind && it.name === seen.name);
    const { asked } = after ?? {};
    return {
      ...seen,
      key,
      rules,
      target,
      readyNeeded: readyNeeded(goal, rules, target, had),
      remembered: after,
      scaleRefused: asked?.replicas === target ? (words?.message ?? asked.refused) : undefined,
      conflict: seen.conflict ?? contest(seen.found?.servedAt, after),
    };
  });
}

/** In a rollback each member gets its earlier replicas, even if no size gives that number. */
const targetOf = ({ size, isBack }: Goal, rules: MemberRules, had: Had | undefined): number =>
  isBack && had !== undefined ? bounded(had.replicas, rules) : replicasAt(size, rules);

/**
 * A growing member must be ready. A member that keeps its size, and a growing member in a rollback,
 * needs no more ready pods than before. A shrinking member needs none, so that a broken one can be
 * scaled down.
 */
function readyNeeded(
  { failed }: Goal,
  rules: MemberRules,
  target: number,
  had: Had | undefined,
): number {
  const enough = readyEnough(target, rules);
  const before = failed === undefined ? had?.replicas : replicasAt(failed, rules);
  const wasReady = Math.min(enough, had?.ready ?? enough);
  if (before === undefined || before === target) return wasReady;
  if (before > target) return 0;
  return failed === undefined ? enough : wasReady;
}

export const isFree = <Seen extends SeenMember>(
  member: Seen,
): member is Seen & { readonly found: Scalable } =>
  member.found !== undefined &&
  !member.found.isDeleting &&
  member.found.refusal === undefined &&
  member.conflict === undefined;

/** The member has its size, its controller has observed it, and its surplus pods are gone. */
const hasItsSize = ({ found, target }: FreeMember): boolean =>
  found.replicas === target &&
  found.isConverged &&
  found.size.observedGeneration >= found.size.generation &&
  found.size.present <= target + (found.size.surge ?? 0);

/** The transition no longer waits for the member. */
export const isSettled = (member: FreeMember): boolean =>
  hasItsSize(member) && member.found.size.ready >= member.readyNeeded;

export const isReady = (member: FreeMember): boolean =>
  hasItsSize(member) && member.found.size.ready >= readyEnough(member.target, member.rules);

const MOST_TOLD = 3;

/** "Deployment/web: 2 of 4 are ready (ImagePullBackOff)" */
export const notReadyText = (members: readonly FreeMember[]): string =>
  listed(
    members.map((member) => `${member.key}: ${whyNotReady(member)}`),
    MOST_TOLD,
  );

/** The reason, including the trouble of the member's pods. */
export function whyNotReady({ found, target, scaleRefused }: FreeMember): string {
  if (scaleRefused !== undefined) return scaleRefused;
  if (found.replicas !== target) return `has ${found.replicas} replicas, wants ${target}`;
  const { generation, observedGeneration, present, ready, surge = 0 } = found.size;
  if (observedGeneration < generation) return 'its controller has not observed its new size yet';
  if (present > target + surge) return `has ${present} pods, wants ${target}`;
  if (ready >= target) return found.isConverged ? 'not ready' : 'its workers have not converged';
  const trouble = found.trouble === undefined ? '' : ` (${found.trouble})`;
  return `${ready} of ${target} are ready${trouble}`;
}

/**
 * Does another writer scale this member, too? Only changes of replicas that the group has set
 * count, and only while `isOurs`: the member is free, and the group is not paused.
 */
function rememberedNow(
  before: RememberedMember | undefined,
  { uid, replicas }: Scalable,
  isOurs: boolean,
  nowMs: number,
): RememberedMember {
  if (before === undefined || before.uid !== uid)
    return { uid, own: [], isInForce: false, changedMs: [] };
  const { own, asked } = before;
  const isOwn = own.includes(replicas);
  const isChanged = before.isInForce && isOurs && !isOwn;
  const changedMs = recentChanges([...before.changedMs, ...(isChanged ? [nowMs] : [])], nowMs);
  return {
    uid,
    own,
    isInForce: isOurs && isOwn,
    changedMs,
    ...(asked !== undefined && asked.replicas !== replicas && { asked }),
  };
}

function contest(
  servedAt: Kind | undefined,
  remembered: RememberedMember | undefined,
): Reason<ConflictReason> | undefined {
  const { changedMs = [] } = remembered ?? {};
  if (!isContested(changedMs)) return undefined;
  const isPool = servedAt?.group === kinds.SwarmPool.group;
  const field = isPool ? 'spec.workers.replicas' : 'spec.replicas';
  const message = `another writer changed its replicas ${changedMs.length} times within ten minutes: remove ${field} from its manifest, or the member from the group`;
  return { reason: 'ReplicasConflict', message };
}
