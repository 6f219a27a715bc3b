// Has a member what it is to have? Going up its pods have to be Ready, going down the surplus has
// to be gone, and staying it is not asked for more than it had.
import { within } from './exact.ts';
import type { Scene, SceneMember } from './scene.ts';

/** `maybe`: the answer depends on when the operator observed it. */
export type Verdict = 'yes' | 'maybe' | 'no';

/** When the group was at rest last: by UID. */
export type Rest = {
  readonly size: number;
  readonly had: ReadonlyMap<string, number>;
};

/** How the members were when the transition under way began. */
export type Start = {
  /** It depends on when the operator observed them. */
  readonly rests: readonly Rest[];
  readonly ready: ReadonlyMap<string, number>;
};

export function isSettled(member: SceneMember, target: number, start: Start): Verdict {
  const { replicas, present, ready, surge, isObserved, needed, uid } = member;
  if (replicas !== target || !isObserved || present > target + surge) return 'no';
  if (ready >= needed(target)) return present <= target ? 'yes' : 'maybe';
  return agreed(start.rests.flatMap(({ had }) => sinceRest(member, target, had.get(uid), start)));
}

/** By what it had then, and by what of it its bounds of now allow. */
function sinceRest(
  { uid, ready, bounds }: SceneMember,
  target: number,
  had: number | undefined,
  start: Start,
): readonly Verdict[] {
  if (had === undefined) return ['maybe'];
  return [had, within(bounds, had)].map((replicas) => {
    if (target === replicas) return ready >= (start.ready.get(uid) ?? target) ? 'yes' : 'maybe';
    return target < replicas ? 'yes' : 'no';
  });
}

const agreed = ([first = 'maybe', ...others]: readonly Verdict[]): Verdict =>
  others.every((it) => it === first) ? first : 'maybe';

/** All free members, at one size. */
export function isSettledAt({ free }: Scene, size: number, start: Start): Verdict {
  const verdicts = free.map((member) => isSettled(member, member.at(size), start));
  if (free.length === 0 || verdicts.includes('no')) return 'no';
  return verdicts.includes('maybe') ? 'maybe' : 'yes';
}

/** What `Ready` means: a rollout's surge does not count. */
export const isWhole = (
  { replicas, present, ready, surge, isObserved, needed, at }: SceneMember,
  size: number,
): boolean =>
  replicas === at(size) && isObserved && present <= replicas + surge && ready >= needed(replicas);

/** All free members have the replicas of this size, Ready or not. */
export const haveSize = ({ free }: Scene, size: number): boolean =>
  free.length > 0 && free.every((member) => member.replicas === member.at(size));

export const isGrowing = (member: SceneMember, size: number, start: Start): boolean => {
  const target = member.at(size);
  return (
    member.replicas < target ||
    (member.replicas === target && isSettled(member, target, start) === 'no')
  );
};

export const isShrinking = ({ replicas, present, surge, at }: SceneMember, size: number): boolean =>
  replicas > at(size) || (replicas === at(size) && present > replicas + surge);
