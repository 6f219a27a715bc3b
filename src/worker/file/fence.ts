// Which streams of a slice may this worker start? It stops removed streams at once; it starts new
// streams only when the operator's annotation names this very pod.
import { digestOf, readAssigned, type Slice } from '../../api/assignment.ts';

/**
 * The mounted file may be outdated if a kubelet lags: a new pod would start streams that another
 * worker now runs (handoff Exclusive). The annotation names version, pod and digest; the operator
 * writes it after the ConfigMap, and for one pod only.
 */
export function isPermitted(slice: Slice, annotation: string | undefined, podUid: string): boolean {
  const assigned = readAssigned(annotation?.trim());
  const { version } = slice;
  return (
    assigned?.uid === podUid && assigned.version === version && assigned.digest === digestOf(slice)
  );
}

/** The part of the slice with streams that the worker already has and keeps. */
export const withoutNew = (slice: Slice, present: ReadonlySet<string>): Slice => ({
  ...slice,
  jobs: slice.jobs.filter((job) => present.has(job)),
});

/**
 * The permitted part of the slice, and whether it is only a part. Without a fence, the whole slice
 * is permitted.
 */
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
