// What should the ConfigMaps contain, and is that a change?
import type { Slice } from '../../api/assignment.ts';
import { timeText } from '../../core/text.ts';
import type { Work } from '../../core/work.ts';
import type { ChangeReason } from '../reasons.ts';
import { assignedTo } from '../workers/seats.ts';
import type { PoolWorker } from '../workers/workers.ts';
import { keptOf, recoveredFrom } from './evidence.ts';
import {
  carriedOn,
  hasMoved,
  isInShard,
  movesOf,
  type Publication,
  type PublishInput,
  shardIndexes,
  writesOf,
} from './publication.ts';
import { noteExact } from './published.ts';
import { asksTheSame, isSameRecord, Slices } from './slices.ts';
import { isSettled, whyChanged } from './why-changed.ts';
import { receiversFirst } from './write-order.ts';

/** Every desired or living worker has an entry; an unchanged slice keeps its version. */
export function* publicationOf(input: PublishInput, now: number): Work<Publication> {
  const { workers, floor } = input;
  const previous = input.world.published.assignment;
  const version = Math.max(previous?.version ?? 0, floor) + 1;
  // A restored older copy: workers have seen newer versions and would ignore it.
  const isRestored = previous !== undefined && (previous.version < floor || workers.some(isBehind));
  const shardOf = shardIndexes(input);
  const isUnchangedIn = isInShard(input);
  yield;
  /** The slice that the worker has, where it may stay. */
  const presentOf = (worker: PoolWorker): Slice | undefined => {
    const before = isRestored ? undefined : previous?.workloads.get(worker.name);
    return before !== undefined && isUnchangedIn(before, worker.name, shardOf(worker))
      ? before
      : undefined;
  };
  const made = new Slices(input, version);
  const staying = new Map<PoolWorker, Slice>();
  for (const worker of workers) {
    const present = presentOf(worker);
    if (present !== undefined && made.isOf(worker, present)) staying.set(worker, present);
  }
  yield* made.readStreamsOf(workers.filter((worker) => !staying.has(worker)));
  const workloads = new Map<string, Slice>();
  let isRestart =
    previous !== undefined && !isRestored && previous.workloads.size === workers.length;
  for (const worker of workers) {
    const { name } = worker;
    const stays = staying.get(worker);
    if (stays !== undefined) {
      workloads.set(name, stays);
      continue;
    }
    const present = presentOf(worker);
    const slice = made.sliceOf(worker);
    const isSame = present !== undefined && asksTheSame(present, slice);
    const isKept = isSame && isSameRecord(present.restarts, slice.restarts);
    workloads.set(name, isKept ? made.note(worker, present) : slice);
    isRestart &&= isSame;
    yield;
  }
  yield;
  const { completed } = input;
  const { movedFrom } = input.assignment.result;
  const assignment = {
    ...{ workloads, version },
    ...(completed.size > 0 && { completed }),
    ...(movedFrom.size > 0 && { movedFrom }),
  };
  const writes = yield* writesOf(input, assignment, isRestored, shardOf);
  if (previous !== undefined && writes.length === 0)
    return { assignment: previous, change: undefined, writes, moves: [], recovered: 0 };
  // All slices are kept: a file was lost, edited or moved, or a time is over.
  const isKept =
    previous !== undefined &&
    !isRestored &&
    previous.workloads.size === workloads.size &&
    [...workloads.values()].every((slice) => slice.version !== version);
  const mended: ChangeReason = isSettled(input) ? 'FailingStreamsSettled' : 'AssignmentMended';
  const kept: ChangeReason = hasMoved(input) ? 'AssignmentMoved' : mended;
  const reason = isKept ? kept : yield* whyChanged(input, workloads, isRestored, isRestart);
  yield;
  const recovered = recoveredFrom(input.world.published, workers, input.checked.streams);
  const carried = new Map([...carriedOn(previous, workers), ...recovered]);
  yield;
  const moves = yield* movesOf(input, carried, workloads, reason);
  const moved = moves.filter(({ from, to }) => from !== undefined && to !== undefined).length;
  noteExact(assignment);
  return {
    assignment,
    change: { version, moves: moved, reason, time: timeText(now) },
    writes: yield* receiversFirst(input, writes),
    moves,
    recovered: keptOf(recovered, workloads),
  };
}

/** The annotation of its pod names a newer version than its slice has. */
const isBehind = ({ before, pod }: PoolWorker): boolean =>
  before !== undefined && (assignedTo(pod)?.version ?? 0) > before.version;
