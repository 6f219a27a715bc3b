// What of a slice may this worker act on? Whatever takes away, at once; what is new, only when this
// very pod was told so.
import { digestOf, readAssigned, type Slice } from '../../api/assignment.ts';

/**
 * The mounted file may be older than the truth, on a node whose kubelet lags: a pod that is made
 * anew would start what another runs by now (handoff Exclusive). The annotation names version, pod
 * and digest; it is written after the ConfigMap, and for one pod alone.
 */
export function isVouched(slice: Slice, annotation: string | undefined, podUid: string): boolean {
  const told = readAssigned(annotation?.trim());
  return (
    told !== undefined &&
    told.uid === podUid &&
    told.version === slice.version &&
    told.digest === digestOf(slice)
  );
}

/** Of what it was told before, it keeps what is still its own. */
export function withoutNew(slice: Slice, present: ReadonlySet<string>): Slice {
  return { ...slice, jobs: slice.jobs.filter((job) => present.has(job)) };
}

/**
 * What it may act on now, and whether that is less than all of it. Without a fence the file alone
 * counts.
 */
export function allowedNow(
  slice: Slice,
  fence: { readonly annotation: string | undefined; readonly podUid: string } | undefined,
  present: ReadonlySet<string>,
): { readonly slice: Slice; readonly isPartial: boolean } {
  if (fence === undefined || isVouched(slice, fence.annotation, fence.podUid))
    return { slice, isPartial: false };
  const allowed = withoutNew(slice, present);
  return { slice: allowed, isPartial: allowed.jobs.length < slice.jobs.length };
}
