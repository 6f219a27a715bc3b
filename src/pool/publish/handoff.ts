// What may be published now, so that no stream ever has two owners? A stream is given on when its
// owner has let go of it, and not before.
import { ANYTHING, digestOf, readAssigned, type Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { Member } from '../workers/members.ts';

type HandoffInput = {
  readonly members: readonly Member[];
  /** Who should consume what, in the end. */
  readonly wanted: ReadonlyMap<string, readonly string[]>;
  /** What was published last, by worker. */
  readonly previous: ReadonlyMap<string, Slice>;
  readonly doubts: Doubts;
};

/** Reasons why workers may have been told more than what is published. */
export type Doubts = {
  /**
   * Workers follow a newer version than any in the API: etcd was restored from a snapshot, and what
   * they were told since is lost.
   */
  readonly isRewound: boolean;
  /** A user or another controller has edited the ConfigMap. */
  readonly isEdited: boolean;
};

export type Handoff = {
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  /** Taken away, and not known to have ended. */
  readonly releasing: ReadonlyMap<string, readonly string[]>;
  /**
   * Workers of which nobody knows what they run: while there is one, nothing may be published, or
   * it would be forgotten that there is.
   */
  readonly unknown: readonly string[];
};

/**
 * Expected flow: a stream leaves its owner's `jobs` for its `releasing`; the owner confirms that it
 * has ended, or all of its pod has; then it stands in the new owner's `jobs`. Guarantees: at no
 * instant do two workers have leave to run one stream, whatever crashes in between, since all that
 * is decided upon stands in what was published. What does not stand there any more, because the
 * ConfigMap was lost or edited before a worker confirmed what it was told, that worker may yet take
 * up: until it confirms something newer, nobody else is given anything new. The same for each of
 * them when all that the API tells was set back. Assumes that a worker starts only what its own
 * pod's annotation vouches for.
 */
export function handoffOf({ members, wanted, previous, doubts }: HandoffInput): Handoff {
  const held = new Map(
    members.map((member) => [member.name, heldBy(member, previous.get(member.name), doubts)]),
  );
  const holders = new Map<string, readonly string[]>();
  for (const [worker, streams] of held)
    for (const stream of streams) holders.set(stream, [...(holders.get(stream) ?? []), worker]);
  const unknown = members
    .filter((member) => isUnknown(member, previous.get(member.name), doubts))
    .map(({ name }) => name);
  const jobs = new Map<string, readonly string[]>();
  const releasing = new Map<string, readonly string[]>();
  for (const { name } of members) {
    const mine = held.get(name) ?? new Set<string>();
    const isUnowned = (stream: string): boolean =>
      (holders.get(stream) ?? []).every((holder) => holder === name);
    const isOpen = isUnowned(ANYTHING);
    // Nobody else may have it: of two that claim one, both let go first.
    const given = (wanted.get(name) ?? []).filter(
      (stream) => isUnowned(stream) && (isOpen || mine.has(stream)),
    );
    const kept = new Set(given);
    jobs.set(name, given);
    releasing.set(name, [...mine].filter((stream) => !kept.has(stream)).sort());
  }
  return { jobs, releasing, unknown };
}

/**
 * Its pod belongs to no target any more, it was given nothing last, and has confirmed that nothing
 * runs: the pool is done with it.
 */
export function isReleased(member: Member, doubts: Doubts): boolean {
  const { isFormer, before, answer } = member;
  const isConfirmed =
    before === undefined || (answer?.ok === true && answer.report.version >= before.version);
  return isFormer && isConfirmed && heldBy(member, before, doubts).size === 0;
}

/**
 * What a worker may be running: what it was given, what it has not let go, and whatever it says.
 */
function heldBy(
  member: Member,
  slice: Slice | undefined,
  { isRewound, isEdited }: Doubts,
): ReadonlySet<string> {
  const { pod, answer } = member;
  // All of its containers have ended, or the pod is gone: a new one starts nothing before its own
  // annotation says so.
  if (pod === undefined || pod.hasEnded) return new Set();
  const reported = answer?.ok === true ? answer.report.jobs : undefined;
  const given = [...(slice?.jobs ?? []), ...unconfirmedReleases(member, slice)];
  if (isRewound ? mayRun(pod) : mayStillStartUnknown(member, slice, isEdited))
    return new Set([...(reported ?? given), ANYTHING]);
  // It knows more than what was restored from an older copy, and follows nothing of that.
  if (
    answer?.ok === true &&
    reported !== undefined &&
    slice !== undefined &&
    answer.report.version > slice.version
  )
    return new Set(reported);
  return new Set([...given, ...(reported ?? [])]);
}

/** Taken away, and it has not said that it let go. */
function unconfirmedReleases({ answer }: Member, slice: Slice | undefined): readonly string[] {
  const isCurrent =
    answer?.ok === true && slice !== undefined && answer.report.version >= slice.version;
  const reported = isCurrent ? answer.report.jobs : undefined;
  return (slice?.releasing ?? []).filter((stream) => reported?.includes(stream) !== false);
}

/**
 * The worker has not confirmed the last slice that it was told, and that slice is recorded nowhere
 * any more. A published slice of a newer version is a good record of it, unless the ConfigMap was
 * edited.
 */
function mayStillStartUnknown(
  { pod, answer }: Member,
  slice: Slice | undefined,
  isEdited: boolean,
): boolean {
  const told = readAssigned(pod?.assigned);
  const version = slice?.version ?? 0;
  if (told === undefined || told.uid !== pod?.uid) return false;
  if (answer?.ok === true && answer.report.version >= told.version) return false;
  if (told.version < version) return isEdited;
  return slice === undefined || told.version > version || told.digest !== digestOf(slice);
}

/**
 * A pod may run although its status in the snapshot has no address yet: its kubelet will report
 * one. A pod without a node cannot run.
 */
const mayRun = ({ ip, trouble }: Pod): boolean => ip !== undefined || trouble !== 'Unschedulable';

/**
 * It was told something newer than what is published, and has not said what it runs: after a lost
 * or restored ConfigMap.
 */
function isUnknown(
  { pod, answer }: Member,
  slice: Slice | undefined,
  { isRewound }: Doubts,
): boolean {
  if (pod === undefined || pod.hasEnded || answer?.ok === true) return false;
  if (isRewound && mayRun(pod)) return true;
  const told = readAssigned(pod.assigned);
  return told !== undefined && told.uid === pod.uid && told.version > (slice?.version ?? 0);
}
