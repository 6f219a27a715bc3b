// Why is a new version published?
import { ANYTHING, type Assignment, hasJobs, placedIn, type Slice } from '../../api/assignment.ts';
import { eachOf, someOf, type Work } from '../../core/work.ts';
import type { ChangeReason, PlacementReason } from '../reasons.ts';
import { readNames } from '../streams/names.ts';
import type { PoolWorker } from '../workers/workers.ts';
import { isEdited } from './config-map.ts';
import { type Files, hasMoved } from './files.ts';
import { cordonedIn } from './published.ts';
import { wasPublished } from './record.ts';
import type { PublishInput } from './slices.ts';

/** Several reasons may hold: the first counts. */
export function* whyChanged(
  input: PublishInput,
  files: Files,
  { workloads: next, version }: Assignment,
  { isRestored, isRestartAtMost }: Readonly<Record<'isRestored' | 'isRestartAtMost', boolean>>,
): Work<ChangeReason> {
  const { world, workers, jobs } = input;
  const { pool, published } = world;
  const previous = published.assignment?.workloads;
  if (previous === undefined) return wasPublished(world) ? 'AssignmentLost' : 'FirstPublication';
  if (isRestored) return 'AssignmentRestored';
  // All slices stay: a file was lost, edited or moved, or a time is over.
  if (
    previous.size === next.size &&
    [...next.values()].every((slice) => slice.version !== version)
  ) {
    const mended = isSettled(input) ? 'FailingStreamsSettled' : 'AssignmentMended';
    return hasMoved(files) ? 'AssignmentMoved' : mended;
  }
  if (files.wanted.some(({ present }) => present !== undefined && isEdited(present)))
    return 'AssignmentMended';
  if (hasMoved(files)) return 'AssignmentMoved';
  if (isRestartAtMost && previous.size === workers.length) return 'StreamRestarted';
  // Streams of a lost publication are assigned again.
  if ([...previous.values()].some(({ releasing }) => releasing?.includes(ANYTHING) === true))
    return 'HandoffContinued';
  const changed = workers.filter(({ name }) => next.get(name) !== previous.get(name));
  // The jobs of a slice that stays are in the list, and none of them is completed.
  const slices = [...previous].flatMap(([worker, it]) => (next.get(worker) === it ? [] : [it]));
  const before = yield* setOf([
    ...slices.map(placedIn),
    ...[...previous.values()].flatMap(({ releasing }) =>
      releasing === undefined ? [] : [releasing],
    ),
  ]);
  if (yield* someOf(before, (name) => input.completed.has(name))) return 'StreamsCompleted';
  const listed = yield* readNames(input.listed);
  if (yield* someOf(before, (name) => listed.get(name) === undefined)) return 'StreamsChanged';
  const known = new Set(workers.map(({ from }) => from));
  if ([...previous.keys()].some((worker) => !known.has(worker)) || known.size !== previous.size)
    return 'WorkersChanged';
  if (workers.some((worker) => worker.hasFailed && hasJobs(worker.before))) return 'WorkerMissing';
  if (workers.some(({ name, from }) => name !== from)) return 'WorkerReplaced';
  const { movedBefore, placing } = input;
  const { movedFrom } = placing.result;
  if ([...movedFrom].some(([stream, from]) => movedBefore.get(stream) !== from))
    return 'FailingStreamsMoved';
  if (isSettled(input)) return 'FailingStreamsSettled';
  const byHand = reasonByHand(input);
  if (byHand !== undefined) return byHand;
  // Streams that had no room before may have found some.
  const { streams: counts, unassigned = [] } = pool.status ?? {};
  const unpublished = unassigned.filter(({ reason }) => reason === PAUSED).length;
  const hadUnassigned = (counts?.unassigned ?? 0) > unpublished;
  const isNew = (name: string): boolean => !before.has(name);
  if (!hadUnassigned && changed.some(({ name }) => jobs.get(name)?.some(isNew)))
    return 'StreamsChanged';
  const keepsAll = ({ name, before: slice }: (typeof workers)[number]): boolean => {
    const given = new Set(jobs.get(name));
    return slice?.jobs.every((job) => given.has(job)) !== false;
  };
  if ([...previous.values()].some(isReleasing) && changed.every(keepsAll))
    return 'HandoffContinued';
  return workers.some((it) => !it.isCordoned && it.hasJoined !== hasJobs(it.before))
    ? 'WorkersChanged'
    : 'StreamsChanged';
}

function* setOf(lists: readonly (readonly string[])[]): Work<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const list of lists) {
    yield;
    yield* eachOf(list, (name) => names.add(name));
  }
  return names;
}

/** A stream that failed at a worker need not keep away from it any more. */
const isSettled = ({ world: { published }, placing }: PublishInput): boolean =>
  [...(published.assignment?.movedFrom ?? [])].some(
    ([it, from]) => placing.result.movedFrom.get(it) !== from,
  );

/** These streams had room, and were only not published. */
const PAUSED: PlacementReason = 'Paused';

const isReleasing = ({ releasing = [] }: Slice): boolean => releasing.length > 0;

/** Did a user change where streams are: by a cordon, by its end, or by a pin? */
function reasonByHand(input: PublishInput): ChangeReason | undefined {
  const { workers, world } = input;
  if (workers.some((worker) => worker.isCordoned && losesAny(worker, input)))
    return 'WorkerCordoned';
  const cordoned = new Set(cordonedIn(world.published.shards));
  const isFilled = ({ name, ordinal, isCordoned, before }: PoolWorker): boolean =>
    !isCordoned && cordoned.has(ordinal) && !hasJobs(before) && streamsAt(input, name).length > 0;
  if (workers.some(isFilled)) return 'WorkerUncordoned';
  return followsPin(input) ? 'StreamPinned' : undefined;
}

const streamsAt = ({ placing, suspended }: PublishInput, worker: string): readonly string[] => [
  ...(placing.result.jobs.get(worker) ?? []),
  ...(suspended.get(worker) ?? []),
];

function losesAny({ name, before }: PoolWorker, input: PublishInput): boolean {
  if (!hasJobs(before)) return false;
  const staying = new Set(streamsAt(input, name));
  return before !== undefined && placedIn(before).some((stream) => !staying.has(stream));
}

/** From the worker that has it to the one that its ordinal names. */
function followsPin(input: PublishInput): boolean {
  const pins = new Map(
    input.checked.streams.flatMap(({ name, ordinal }) =>
      ordinal === undefined ? [] : [[name, ordinal] as const],
    ),
  );
  if (pins.size === 0) return false;
  const isMisplaced = (stream: string, ordinal: number): boolean =>
    pins.has(stream) && pins.get(stream) !== ordinal;
  const misplaced = new Set(
    input.workers.flatMap(({ before, ordinal }) =>
      before === undefined ? [] : placedIn(before).filter((name) => isMisplaced(name, ordinal)),
    ),
  );
  return input.workers.some(({ name, ordinal }) =>
    streamsAt(input, name).some((it) => misplaced.has(it) && pins.get(it) === ordinal),
  );
}
