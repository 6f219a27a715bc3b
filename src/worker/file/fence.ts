// Which streams of a slice may this worker start? What the slice takes away it stops at once; what
// is new it starts only when the operator has named this very pod.
import { digestOf, readAssigned, type Slice } from '../../api/assignment.ts';

/**
 * The mounted file may be out of date where a kubelet lags: a new pod would start what another
 * worker runs by now (handoff Exclusive). The annotation names version, pod and digest; the
 * operator writes it after the ConfigMap, and for one pod alone.
 */
export function isPermitted(slice: Slice, annotation: string | undefined, podUid: string): boolean {
  const assigned = readAssigned(annotation?.trim());
  const { version } = slice;
  return (
    assigned?.uid === podUid && assigned.version === version && assigned.digest === digestOf(slice)
  );
}

/** The streams that the worker has already, and keeps. */
export const withoutNew = (slice: Slice, present: ReadonlySet<string>): Slice => ({
  ...slice,
  jobs: slice.jobs.filter((job) => present.has(job)),
});

/** The part of the slice that is allowed, and whether some is not. Without a fence all is. */
export function allowedNow(
  slice: Slice,
  fence: { readonly annotation: string | undefined; readonly podUid: string } | undefined,
  present: ReadonlySet<string>,
): { readonly slice: Slice; readonly isPartial: boolean } {
  if (fence === undefined || isPermitted(slice, fence.annotation, fence.podUid))
    return { slice, isPartial: false };
  const allowed = withoutNew(slice, present);
  return { slice: allowed, isPartial: allowed.jobs.length < slice.jobs.length };
}
