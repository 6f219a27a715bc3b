// Which pods are replaced now? In waves: the next when the last is Ready and confirmed.
import { readAssigned, type Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Member } from '../workers/members.ts';
import { hasConverged } from './convergence.ts';

/** By the third nudge, 3 s after the first, the kubelet has updated the file. */
const TOLD_TO_NO_EFFECT = 3;

type RestartInput = {
  readonly spec: SwarmPoolSpec;
  readonly members: readonly Member[];
  readonly slices: ReadonlyMap<string, Slice>;
  /** By pod UID: how long its slice has been as it is. */
  readonly sliceMs: Readonly<Record<string, number>>;
  /** Worker -> version that it was restarted for. */
  readonly restarted: Readonly<Record<string, number>>;
};

export function restartsNow(input: RestartInput): readonly Member[] {
  const due = input.members.filter((member) => isDue(input, member));
  // Replacing an unavailable worker makes no other unavailable.
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
  // A silent worker is never evicted: it may be at work behind a broken network.
  const isDeaf =
    answer?.ok === true &&
    answer.report.version < slice.version &&
    restarted[name] !== slice.version;
  return isDeaf && hasHadItsTime(spec, pod, slice, sliceMs[pod.uid] ?? 0);
}

/** With Restart, a pod that started with an older file is replaced once nudges had no effect. */
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
 * Away, or not confirmed yet. A worker that stays unconfirmed for too long is stuck, and no longer
 * holds up the others.
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

/** A percentage is of the desired workers, rounded up, as in StatefulSets. */
function maxUnavailable({ spec, members }: RestartInput): number {
  const { maxUnavailable: wanted } = spec.refresh;
  if (typeof wanted === 'number') return wanted;
  const desired = members.filter(({ isDesired }) => isDesired).length;
  return Math.max(1, Math.ceil((Number.parseInt(wanted, 10) / 100) * desired));
}
