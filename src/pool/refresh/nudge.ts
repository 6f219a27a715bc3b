// Whom to tell now that its slice is newer than what it is known to run?
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
 * A nudge can reach the kubelet before its view of the ConfigMap is new: it is repeated after 1, 2,
 * 4 s and so on.
 */
const FIRST_REPEAT_MS = 1_000;
/**
 * Then at the pace of a kubelet's own period: a worker that runs, but does not take it up, may only
 * be slow.
 */
const LONGEST_REPEAT_MS = 60_000;
/**
 * Where others confirm meanwhile, who has not is slow rather than uninformed; but their coming and
 * going does not keep it waiting for longer.
 */
const LONGEST_PATIENCE = 4;
/** Who was not asked yet since it was told is looked at again after so long. */
const UNASKED_MS = 500;
/** Who does not answer at all is told this often; more would tell nobody. */
const SILENT_ATTEMPTS = 4;

type NudgeInput = {
  readonly members: readonly Member[];
  readonly slices: ReadonlyMap<string, Slice>;
  /** Slices that change with this very decision. */
  readonly changed: ReadonlySet<string>;
  /** Workers start nothing that their annotation does not vouch for (handoff Exclusive). */
  readonly isVouching: boolean;
  readonly annotatedMs: Readonly<Record<string, number>>;
  /** How long no worker has said anything new. */
  readonly answersMs: number;
  /** UIDs of pods: nobody knows yet whether these have taken it up. */
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
    // It has read it and takes its time: another nudge would tell it nothing.
    if (answer?.ok === true && answer.report.read === slice.version) return undefined;
    if (answer?.ok !== true && last.attempt >= SILENT_ATTEMPTS) return undefined;
    // Its first answer of all is news, whatever it says.
    if (ages.isUnprobed && answer === undefined) return undefined;
    const pause = Math.min(FIRST_REPEAT_MS * 2 ** (last.attempt - 1), LONGEST_REPEAT_MS);
    return {
      attempt: last.attempt + 1,
      inMs: Math.max(ages.isUnprobed ? UNASKED_MS : 0, untilRepeat(pause, ages)),
    };
  }
  // Where a worker starts only what it is told, nobody else tells it. Elsewhere a pod that was
  // never told anything may have started with the file as it is: it is asked first.
  const isKnownOld = isChanged || isVouching || last !== undefined || answer?.ok === true;
  return isKnownOld ? { attempt: 1, inMs: 0 } : undefined;
}

/**
 * The pause runs from when it was told, and anew whenever a worker of the pool says something new.
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
