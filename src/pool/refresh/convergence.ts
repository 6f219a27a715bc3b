// Does a worker run what it was assigned? Verified by its own answer.
import { readAssigned, type Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { WorkerReport } from '../../api/report.ts';
import { hasJobs, type Member } from '../workers/members.ts';

/**
 * It reports at least its slice's version and, if it lists jobs, exactly these. A worker without a
 * probe converges when its pod was replaced after the change and is Ready.
 */
export function hasConverged(
  { answer, pod, isProbed, isOutdated }: Member,
  slice: Slice | undefined,
): boolean {
  if (slice === undefined || pod === undefined) return false;
  if (!isProbed) return pod.isReady && !isOutdated;
  if (answer?.ok !== true || answer.report.version < slice.version) return false;
  return answer.report.jobs === undefined || runsJust(answer.report, slice);
}

/**
 * Compared once for the same objects: a decision on 100,000 streams at rest takes 110 ms, and 230
 * without this.
 */
const compared = new WeakMap<WorkerReport, { readonly slice: Slice; readonly isSame: boolean }>();

/** Exactly the jobs of its slice? */
export function runsJust(report: WorkerReport, slice: Slice): boolean {
  const known = compared.get(report);
  if (known?.slice === slice) return known.isSame;
  const isSame = isSameSet(report.jobs ?? [], slice.jobs);
  compared.set(report, { slice, isSame });
  return isSame;
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const names = new Set(a);
  return names.size === b.length && b.every((name) => names.has(name));
}

/**
 * A worker that has not joined confirms that it has nothing to do, and one that terminates will
 * stop: neither counts.
 */
export const isSettled = (member: Member, slice: Slice | undefined): boolean =>
  member.isDesired &&
  member.hasJoined &&
  isAtWork(member.pod) &&
  hasConverged(member, slice) &&
  !isReleasing(slice);

const isReleasing = (slice: Slice | undefined): boolean => (slice?.releasing ?? []).length > 0;

export const isAtWork = (pod: Pod | undefined): boolean =>
  pod?.isReady === true && !pod.isTerminating && !pod.hasEnded;

/** It is to go, and runs nothing any more: it reports so, or its pod has ended. */
const isEmptied = (member: Member, slice: Slice | undefined): boolean =>
  member.pod === undefined ||
  member.pod.hasEnded ||
  (!hasJobs(slice) && hasConverged(member, slice));

/** Every stream runs at its worker and nowhere else; verified for leaving workers, too. */
export const isVerified = (
  members: readonly Member[],
  slices: ReadonlyMap<string, Slice>,
): boolean =>
  members.every((member) => {
    const slice = slices.get(member.name);
    const isDone = member.isDesired ? isSettled(member, slice) : isEmptied(member, slice);
    return isDone && !isReleasing(slice);
  });

/** A publication after a lost ConfigMap needs a higher version. */
export function highestReported(members: readonly Member[]): number {
  return members.reduce(
    (highest, { answer }) =>
      answer?.ok === true ? Math.max(highest, answer.report.version) : highest,
    0,
  );
}

/** The highest version that the operator wrote to a pod. */
export function highestAnnotated(members: readonly Member[]): number {
  return members.reduce(
    (highest, { pod }) => Math.max(highest, readAssigned(pod?.assigned)?.version ?? 0),
    0,
  );
}
