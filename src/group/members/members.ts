// Which members can be scaled now, and to what? A member that is missing, refused, or scaled by
// somebody else stops no other.
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import type { Because } from '../../core/because.ts';
import type { ConflictReason } from '../reasons.ts';
import {
  type GroupWorld,
  memberName,
  type RememberedMember,
  type Scalable,
  type SeenMember,
} from '../world.ts';
import { bounded, type MemberRules, replicasAt, rulesOf } from './sizes.ts';

export type Member = SeenMember & {
  readonly key: string;
  readonly rules: MemberRules;
  /** What it is to have. */
  readonly target: number;
  readonly remembered: RememberedMember | undefined;
};

/** It can be scaled. */
export type FreeMember = Member & { readonly found: Scalable };

export type Transition = NonNullable<SwarmGroupStatus['transition']>;

export const isUnderWay = (transition: Transition | undefined): transition is Transition =>
  transition?.state === 'Scaling' || transition?.state === 'RollingBack';

/** While a transition to this size is rolled back, each is to have what it had before. */
export function membersOf(
  { members, group: { status }, remembered, monotonicMs }: GroupWorld,
  spec: SwarmGroupSpec,
  size: number,
  last = status?.transition,
): readonly Member[] {
  const goesBack = last?.state === 'RollingBack' && last.to === size;
  return members.map((seen) => {
    const key = memberName(seen);
    const rules = rulesOf(spec, seen);
    const had = last?.before?.find(({ kind, name }) => kind === seen.kind && name === seen.name);
    const target = goesBack
      ? bounded(had?.replicas ?? replicasAt(last.from, rules), rules)
      : replicasAt(size, rules);
    const before = remembered.members.get(key);
    const after = seen.found && rememberedNow(before, seen.found, target, monotonicMs);
    const conflict = seen.conflict ?? contest(after);
    return { ...seen, key, rules, target, remembered: after, conflict };
  });
}

export const isFree = (member: Member): member is FreeMember =>
  member.found !== undefined &&
  !member.found.isDeleting &&
  member.found.refusal === undefined &&
  member.conflict === undefined;

/** Its controller has seen its size, what is too many is gone, and the rest is ready. */
export const isSettled = ({ found, target }: FreeMember): boolean =>
  found.replicas === target &&
  found.isConverged &&
  found.size.observedGeneration >= found.size.generation &&
  found.size.present === target &&
  found.size.ready >= target;

/** Changed this often within this time, the size is contested, and a user has to know. */
const CONTESTED_MS = 600_000;
const MOST_CHANGES = 3;

/** A size that was neither there before, nor wanted, nor asked for is somebody else's. */
function rememberedNow(
  before: RememberedMember | undefined,
  { uid, replicas }: Scalable,
  target: number,
  nowMs: number,
): RememberedMember {
  if (before === undefined || before.uid !== uid) return { uid, replicas, changedMs: [] };
  const { asked } = before;
  const isOther =
    replicas !== before.replicas && replicas !== target && replicas !== asked?.replicas;
  const changedMs = [...before.changedMs, ...(isOther ? [nowMs] : [])].filter(
    (at) => nowMs - at < CONTESTED_MS,
  );
  return { ...before, replicas, changedMs };
}

function contest(remembered: RememberedMember | undefined): Because<ConflictReason> | undefined {
  const count = remembered?.changedMs.length ?? 0;
  if (count < MOST_CHANGES) return undefined;
  const message = `its replicas were changed ${count} times within ten minutes: leave spec.replicas out of its manifest, or the member out of the group`;
  return { reason: 'ReplicasConflict', message };
}

/** When the first of the changes counts no longer. */
export const contestEndsInMs = (member: Member, nowMs: number): number | undefined => {
  const { changedMs = [] } = member.remembered ?? {};
  const [first] = changedMs.slice(-MOST_CHANGES);
  return changedMs.length < MOST_CHANGES || first === undefined
    ? undefined
    : first + CONTESTED_MS - nowMs;
};
