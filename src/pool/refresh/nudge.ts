// Which workers are nudged now because their slice is newer than what they run?
import {
  ASSIGNED_ANNOTATION,
  type Assigned,
  digestOf,
  readAssigned,
  type Slice,
  writeAssigned,
} from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { Step } from '../../core/decision.ts';
import type { Member } from '../workers/members.ts';
import { hasConverged } from './convergence.ts';

/**
 * A nudge may reach the kubelet before the ConfigMap does: it is repeated after 1, 2, 4 s and so
 * on,
 */
const FIRST_REPEAT_MS = 1_000;
/** at most at the pace of a kubelet's own period: the worker may only be slow. */
const LONGEST_REPEAT_MS = 60_000;
/**
 * While other workers confirm, an unconfirmed one is probably slow: its pause starts anew, but
 * lasts no longer than this many pauses.
 */
const LONGEST_PATIENCE = 4;
/** A worker that was not probed since its nudge is looked at again after this time. */
const UNASKED_MS = 500;
/** More nudges would not help a worker that does not answer. */
const SILENT_ATTEMPTS = 4;

type NudgeInput = {
  readonly members: readonly Member[];
  readonly slices: ReadonlyMap<string, Slice>;
  /** Slices that change with this decision. */
  readonly changed: ReadonlySet<string>;
  /** Exclusive: workers start only what their annotation vouches for. */
  readonly isVouching: boolean;
  readonly annotatedMs: Readonly<Record<string, number>>;
  /** How long no worker has answered anything new. */
  readonly answersMs: number;
  /** UIDs of pods not probed since. */
  readonly unprobed: ReadonlySet<string>;
};

export const isNudge = ({ do: what }: Step): boolean => what === 'annotate';

export type Nudges = { readonly steps: readonly Step[]; readonly nextInMs: number | undefined };

export function nudgesNow({
  members,
  slices,
  changed,
  isVouching,
  annotatedMs,
  answersMs,
  unprobed,
}: NudgeInput): Nudges {
  const steps: Step[] = [];
  let nextInMs: number | undefined;
  for (const member of members) {
    const { pod } = member;
    const slice = slices.get(member.name);
    if (
      pod === undefined ||
      slice === undefined ||
      pod.isTerminating ||
      pod.hasEnded ||
      hasConverged(member, slice)
    )
      continue;
    const due = nudge(member, pod, slice, changed.has(member.name), isVouching, {
      toldMs: annotatedMs[pod.uid] ?? 0,
      answersMs,
      isUnprobed: unprobed.has(pod.uid),
    });
    if (due === undefined) continue;
    if (due.inMs > 0) nextInMs = Math.min(nextInMs ?? due.inMs, due.inMs);
    else
      steps.push(
        annotate(pod, {
          version: slice.version,
          uid: pod.uid,
          digest: digestOf(slice),
          attempt: due.attempt,
        }),
      );
  }
  return { steps, nextInMs };
}

type Nudge = { readonly attempt: number; readonly inMs: number };
type Ages = { readonly toldMs: number; readonly answersMs: number; readonly isUnprobed: boolean };

function nudge(
  { answer }: Member,
  pod: Pod,
  slice: Slice,
  isChanged: boolean,
  isVouching: boolean,
  ages: Ages,
): Nudge | undefined {
  const last = readAssigned(pod.assigned);
  const isAlreadyTold = last?.uid === pod.uid && last.version === slice.version;
  if (isAlreadyTold) {
    // It has read the slice and needs time: another nudge would not help.
    if (answer?.ok === true && answer.report.read === slice.version) return undefined;
    if (answer?.ok !== true && last.attempt >= SILENT_ATTEMPTS) return undefined;
    // Wait for its first answer.
    if (ages.isUnprobed && answer === undefined) return undefined;
    const pause = Math.min(FIRST_REPEAT_MS * 2 ** (last.attempt - 1), LONGEST_REPEAT_MS);
    return {
      attempt: last.attempt + 1,
      inMs: Math.max(ages.isUnprobed ? UNASKED_MS : 0, untilRepeat(pause, ages)),
    };
  }
  // With Exclusive only the annotation starts a worker. Otherwise a pod without one may have
  // started with the current file: it is probed first.
  const isKnownOld = isChanged || isVouching || last !== undefined || answer?.ok === true;
  return isKnownOld ? { attempt: 1, inMs: 0 } : undefined;
}

/**
 * The pause starts with the last nudge, and anew whenever a worker of the pool reports something
 * new.
 */
const untilRepeat = (pause: number, { toldMs, answersMs }: Ages): number =>
  Math.min(pause - Math.min(toldMs, answersMs), LONGEST_PATIENCE * pause - toldMs);

function annotate(pod: Pod, assigned: Assigned): Step {
  const { name, namespace, uid, resourceVersion } = pod;
  return {
    do: 'annotate',
    pod: { name, namespace, uid, resourceVersion },
    annotations: { [ASSIGNED_ANNOTATION]: writeAssigned(assigned) },
  };
}
