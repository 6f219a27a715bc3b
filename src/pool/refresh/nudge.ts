// Which workers are nudged now because their slice is newer than what they run?
import {
  ASSIGNED_ANNOTATION,
  digestOf,
  readAssigned,
  type Slice,
  writeAssigned,
} from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';
import type { DesiredState } from '../desired-state.ts';
import { hasConverged, livePod, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

/**
 * A nudge may reach the kubelet before the ConfigMap does: it is repeated after 1, 2, 4 s and so
 * on, at most at the pace of a kubelet's own period.
 */
const FIRST_REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 60_000;
/**
 * While other workers confirm, an unconfirmed one is probably slow: its pause starts anew, but
 * lasts no longer than this many pauses.
 */
const LONGEST_PATIENCE = 4;
/** A worker that was not probed since its nudge is looked at again after this time. */
const UNPROBED_MS = 500;
/** More nudges would not help a worker that does not answer. */
const SILENT_ATTEMPTS = 4;

export const isNudge = ({ do: what }: Step): boolean => what === 'annotate';

type Times = Pick<PoolWorld, 'unprobed'> & {
  readonly ages: Pick<PoolWorld['ages'], 'annotatedMs' | 'answersMs'>;
};

const justPublished: Times = { ages: { annotatedMs: {}, answersMs: 0 }, unprobed: new Set() };

/** `changed`: workers whose slice changes with this decision. */
export function nudgesNow(
  { spec, workers, slices }: Pick<DesiredState, 'spec' | 'workers' | 'slices'>,
  changed: ReadonlySet<string>,
  times = justPublished,
): { readonly steps: readonly Step[]; readonly nextInMs: number | undefined } {
  const steps: Step[] = [];
  let nextInMs: number | undefined;
  for (const worker of workers) {
    const { name } = worker;
    const pod = livePod(worker);
    const slice = slices.get(name);
    if (pod === undefined || slice === undefined || hasConverged(worker, slice)) continue;
    // With Exclusive only the annotation starts a worker.
    const isAwaited = changed.has(name) || spec.handoff.type === 'Exclusive';
    const due = nudge(worker, pod, slice, isAwaited, times);
    if (due === undefined) continue;
    if (due.inMs > 0) nextInMs = Math.min(nextInMs ?? due.inMs, due.inMs);
    else steps.push(annotate(pod, slice, due.attempt));
  }
  return { steps, nextInMs };
}

function nudge(
  { answer }: PoolWorker,
  pod: Pod,
  slice: Slice,
  isAwaited: boolean,
  { ages, unprobed }: Times,
): { readonly attempt: number; readonly inMs: number } | undefined {
  const last = readAssigned(pod.assigned);
  const isNudged = last?.uid === pod.uid && last.version === slice.version;
  if (!isNudged) {
    // A pod without an annotation may have started with the current file: it is probed first.
    const isKnownOld = isAwaited || last !== undefined || answer?.ok === true;
    return isKnownOld ? { attempt: 1, inMs: 0 } : undefined;
  }
  // It has read the slice and needs time: another nudge would not help.
  if (answer?.ok === true && answer.report.read === slice.version) return undefined;
  if (answer?.ok !== true && last.attempt >= SILENT_ATTEMPTS) return undefined;
  const isUnprobed = unprobed.has(pod.uid);
  // Wait for its first answer.
  if (isUnprobed && answer === undefined) return undefined;
  // The pause starts anew whenever a worker of the pool reports something new.
  const nudgedMs = ages.annotatedMs[pod.uid] ?? 0;
  const pause = Math.min(FIRST_REPEAT_MS * 2 ** (last.attempt - 1), LONGEST_REPEAT_MS);
  const untilRepeat = Math.min(
    pause - Math.min(nudgedMs, ages.answersMs),
    LONGEST_PATIENCE * pause - nudgedMs,
  );
  return {
    attempt: last.attempt + 1,
    inMs: Math.max(isUnprobed ? UNPROBED_MS : 0, untilRepeat),
  };
}

function annotate(pod: Pod, slice: Slice, attempt: number): Step {
  const { version } = slice;
  const assigned = writeAssigned({ version, uid: pod.uid, digest: digestOf(slice), attempt });
  return {
    do: 'annotate',
    pod: versionedRefOf(pod),
    annotations: { [ASSIGNED_ANNOTATION]: assigned },
  };
}
