// Whose pod to replace now? In waves: the next only when the last is Ready and confirmed.
import { readAssigned, type Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Member } from '../workers/members.ts';
import { hasConverged } from './convergence.ts';

/** Nudges come after 1 and 2 s: by the third, a kubelet has long brought the file up to date. */
const TOLD_TO_NO_EFFECT = 3;

type RestartInput = {
  readonly spec: SwarmPoolSpec;
  readonly members: readonly Member[];
  readonly slices: ReadonlyMap<string, Slice>;
  /** By pod UID: how long its slice has been as it is. */
  readonly sliceMs: Readonly<Record<string, number>>;
  /** Worker -> version for which it was restarted already. */
  readonly restarted: Readonly<Record<string, number>>;
};

export function restartsNow(input: RestartInput): readonly Member[] {
  const due = input.members.filter((member) => isDue(input, member));
  // One that is away already is not made more so.
  const away = due.filter(({ pod }) => pod?.isReady !== true);
  const present = due.filter(({ pod }) => pod?.isReady === true);
  const others = input.members.filter(
    (member) => !present.includes(member) && isUnavailable(input, member),
  );
  const room = maxUnavailable(input) - others.length;
  return [...away, ...present.slice(0, Math.max(0, room))];
}

function isDue({ spec, slices, sliceMs, restarted }: RestartInput, member: Member): boolean {
  const { pod, answer, name } = member;
  const slice = slices.get(name);
  if (
    pod === undefined ||
    slice === undefined ||
    pod.isTerminating ||
    pod.hasEnded ||
    hasConverged(member, slice)
  )
    return false;
  if (spec.refresh.mode === 'Restart' && member.isOutdated) return true;
  // Who does not answer at all is never evicted for it: it may be at work behind a broken network.
  const isDeaf =
    answer?.ok === true &&
    answer.report.version < slice.version &&
    restarted[name] !== slice.version;
  return isDeaf && hasHadItsTime(spec, pod, slice, sliceMs[pod.uid] ?? 0);
}

/**
 * With Restart, who started beside the publication and read an older file need not be waited for
 * once it was told to no effect.
 */
function hasHadItsTime(
  { refresh }: SwarmPoolSpec,
  pod: Pod,
  slice: Slice,
  waitedMs: number,
): boolean {
  if (refresh.mode === 'Auto') return waitedMs >= refresh.timeoutSeconds * 1000;
  const told = readAssigned(pod.assigned);
  return (
    told?.version === slice.version && told.uid === pod.uid && told.attempt >= TOLD_TO_NO_EFFECT
  );
}

/**
 * Away, or back but not confirmed. One that stays unconfirmed for too long is stuck, and does not
 * keep the others waiting.
 */
function isUnavailable({ spec, slices, sliceMs }: RestartInput, member: Member): boolean {
  const { pod, isDesired, isOutdated, name } = member;
  if (!isDesired) return false;
  if (pod?.isReady !== true || pod.isTerminating) return true;
  const isStuck = (sliceMs[pod.uid] ?? 0) >= spec.refresh.timeoutSeconds * 1000;
  return (
    spec.refresh.mode === 'Restart' &&
    !isOutdated &&
    !isStuck &&
    !hasConverged(member, slices.get(name))
  );
}

/** A percentage is of the desired workers, rounded up, as StatefulSets do. */
function maxUnavailable({ spec, members }: RestartInput): number {
  const { maxUnavailable: wanted } = spec.refresh;
  if (typeof wanted === 'number') return wanted;
  const desired = members.filter(({ isDesired }) => isDesired).length;
  return Math.max(1, Math.ceil((Number.parseInt(wanted, 10) / 100) * desired));
}
