// What may be published now so that no stream ever has two owners?
import { ANYTHING, digestOf, type Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import { assignedTo } from '../workers/seats.ts';
import { type PoolWorker, runsJust } from '../workers/workers.ts';
import { asksFor, type PublishInput } from './slices.ts';

/** Why it is uncertain that workers were told only what is published. */
export type Uncertainty = {
  /** Workers follow a newer version than any in the API: etcd was restored from a snapshot. */
  readonly isRewound: boolean;
  /** A user or another controller has edited the ConfigMap. */
  readonly isEdited: boolean;
};

export type Handoff = Pick<PublishInput, 'jobs' | 'releasing'> & {
  /** They may run unknown streams. Nothing is published meanwhile: it would erase the evidence. */
  readonly unknown: readonly string[];
};

/**
 * Flow: a stream moves from its owner's `jobs` to its `releasing`; the owner confirms that it has
 * stopped, or its pod has ended; then the stream enters the new owner's `jobs`. Guarantee: no two
 * workers may run one stream at any instant, whatever crashes, since the publication holds every
 * decision. A worker may still start streams of a publication that was lost or edited before it
 * confirmed: until it confirms a newer version, no other worker gets new streams. Assumes that a
 * worker starts only what the annotation of its own pod permits.
 */
export function handoffOf(
  workers: readonly PoolWorker[],
  wanted: Handoff['jobs'],
  previous: ReadonlyMap<string, Slice> | undefined,
  uncertainty: Uncertainty,
): Handoff {
  const isStable = (worker: PoolWorker): boolean =>
    holdsJust(worker, previous?.get(worker.name), wanted.get(worker.name) ?? none, uncertainty);
  const others = workers.filter((worker) => !isStable(worker));
  const held = new Map(
    others.map((worker) => [worker.name, heldBy(worker, previous?.get(worker.name), uncertainty)]),
  );
  const holders = new Map<string, readonly string[]>();
  for (const [worker, streams] of held)
    for (const stream of streams) holders.set(stream, [...(holders.get(stream) ?? []), worker]);
  const unknown = workers
    .filter((worker) => isUnknown(worker, previous?.get(worker.name), uncertainty))
    .map(({ name }) => name);
  const jobs = new Map<string, readonly string[]>();
  const releasing = new Map<string, readonly string[]>();
  for (const { name } of workers) {
    const mine = held.get(name);
    const isUnowned = (stream: string): boolean =>
      (holders.get(stream) ?? none).every((holder) => holder === name);
    const wants = wanted.get(name) ?? none;
    if (mine === undefined && (holders.size === 0 || wants.every(isUnowned))) {
      jobs.set(name, wants);
      releasing.set(name, none);
      continue;
    }
    const isOpen = isUnowned(ANYTHING);
    // Of two workers that claim a stream, both stop it first.
    const given = wants.filter(
      (stream) => isUnowned(stream) && (isOpen || mine === undefined || mine.has(stream)),
    );
    const isGiven = new Set(given);
    jobs.set(name, given.length === wants.length ? wants : given);
    releasing.set(name, [...(mine ?? wants)].filter((stream) => !isGiven.has(stream)).sort());
  }
  return { jobs, releasing, unknown };
}

const none: readonly string[] = [];

/**
 * What the worker may be running is just what it is wanted to run, as `heldBy` would say: of two
 * such workers none has a stream of the other. False: not known.
 */
function holdsJust(
  worker: PoolWorker,
  slice: Slice | undefined,
  wanted: readonly string[],
  { isRewound, isEdited }: Uncertainty,
): boolean {
  const { pod, answer } = worker;
  if (slice === undefined || pod === undefined || pod.hasEnded || isRewound) return false;
  if (slice.releasing !== undefined || !asksFor(slice, wanted)) return false;
  if (answer?.ok === true) {
    if (answer.report.version > slice.version) return false;
    if (answer.report.jobs !== undefined && !runsJust(answer.report, slice)) return false;
  }
  return !mayStillStartUnknown(worker, slice, isEdited);
}

/**
 * The pod belongs to no target any more, was given nothing and confirmed that nothing runs. With
 * probe None only a pod that started after it was given nothing proves that.
 */
export function isReleased(worker: PoolWorker, uncertainty: Uncertainty): boolean {
  const { isFormer, isProbed, isOutdated, before, answer } = worker;
  const hasAcknowledged =
    before === undefined ||
    (isProbed ? answer?.ok === true && answer.report.version >= before.version : !isOutdated);
  return isFormer && hasAcknowledged && heldBy(worker, before, uncertainty).size === 0;
}

/** What a worker may be running: what it was given or has not released, and what it reports. */
function heldBy(
  worker: PoolWorker,
  slice: Slice | undefined,
  { isRewound, isEdited }: Uncertainty,
): ReadonlySet<string> {
  const { pod, answer } = worker;
  // All containers have ended: a new pod starts nothing before its own annotation says so.
  if (pod === undefined || pod.hasEnded) return new Set();
  const reported = answer?.ok === true ? answer.report.jobs : undefined;
  const given = [...(slice?.jobs ?? []), ...unconfirmedReleases(worker, slice)];
  if (isRewound ? mayRun(pod) : mayStillStartUnknown(worker, slice, isEdited))
    return new Set([...(reported ?? given), ANYTHING]);
  // It follows a newer version than the restored copy, and ignores the copy.
  const isNewer =
    answer?.ok === true && slice !== undefined && answer.report.version > slice.version;
  if (isNewer && reported !== undefined) return new Set(reported);
  return new Set([...given, ...(reported ?? [])]);
}

/** Taken away, and not confirmed as stopped. */
function unconfirmedReleases({ answer }: PoolWorker, slice: Slice | undefined): readonly string[] {
  const isCurrent =
    answer?.ok === true && slice !== undefined && answer.report.version >= slice.version;
  const reported = isCurrent ? answer.report.jobs : undefined;
  return (slice?.releasing ?? []).filter((stream) => reported?.includes(stream) !== false);
}

/**
 * The worker has not confirmed the slice that its annotation names, and no record of it is left. A
 * published slice of a newer version is such a record, unless the ConfigMap was edited.
 */
function mayStillStartUnknown(
  { pod, answer }: PoolWorker,
  slice: Slice | undefined,
  isEdited: boolean,
): boolean {
  const told = assignedTo(pod);
  const version = slice?.version ?? 0;
  if (told === undefined) return false;
  if (answer?.ok === true && answer.report.version >= told.version) return false;
  if (told.version < version) return isEdited;
  return slice === undefined || told.version > version || told.digest !== digestOf(slice);
}

/** Without an address in the snapshot it may run all the same; without a node it cannot. */
const mayRun = ({ ip, trouble }: Pod): boolean => ip !== undefined || trouble !== 'Unschedulable';

/** Its annotation names a newer version than the published one, and its streams are unknown. */
function isUnknown(
  { pod, answer }: PoolWorker,
  slice: Slice | undefined,
  { isRewound }: Uncertainty,
): boolean {
  if (pod === undefined || pod.hasEnded || answer?.ok === true) return false;
  if (isRewound && mayRun(pod)) return true;
  return (assignedTo(pod)?.version ?? 0) > (slice?.version ?? 0);
}
