// What should the ConfigMaps contain, and is that a change?
import { digestOf, type Slice, type SlicePolicy } from '../../api/assignment.ts';
import { isRecord, own } from '../../api/objects.ts';
import { isSameJson } from '../../core/json.ts';
import { timeText } from '../../core/text.ts';
import { endsPiece, type Work } from '../../core/work.ts';
import type { ChangeReason } from '../reasons.ts';
import { ANNOTATION_RESTART, readRestarts, restartsOf } from '../streams/restarts.ts';
import type { Stream } from '../streams/streams.ts';
import { assignedTo } from '../workers/seats.ts';
import type { PoolWorker } from '../workers/workers.ts';
import { keptOf, recoveredFrom } from './in-force.ts';
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
  const workloads = new Map<string, Slice>();
  const sliceOf = yield* slicesAt(version, input);
  let isRestart =
    previous !== undefined && !isRestored && previous.workloads.size === workers.length;
  for (const worker of workers) {
    const { name } = worker;
    const slice = sliceOf(worker);
    const before = previous?.workloads.get(name);
    const isSame =
      before !== undefined &&
      !isRestored &&
      isUnchangedIn(before, name, shardOf(worker)) &&
      asksTheSame(before, slice);
    const isKept = isSame && isSameRecord(before.restarts, slice.restarts);
    workloads.set(name, isKept ? before : slice);
    isRestart &&= isSame;
    yield;
  }
  yield;
  const { completed, movedFrom } = input;
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
  const reason = isKept ? kept : yield* whyChanged(input, isRestored, isRestart);
  yield;
  const recovered = recoveredFrom(input.world.published, workers, input.checked.streams);
  const carried = new Map([...carriedOn(previous, workers), ...recovered]);
  yield;
  const moves = yield* movesOf(carried, workloads, input.wanted, reason);
  const moved = moves.filter(({ from, to }) => from !== undefined && to !== undefined).length;
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

function* slicesAt(
  version: number,
  { world, checked: { spec, streams }, jobs, releasing, suspended }: PublishInput,
): Work<(worker: PoolWorker) => Slice> {
  const { tokens } = readRestarts(world.pool.meta.annotations[ANNOTATION_RESTART]);
  const { maxRestarts, completion } = spec.streamPolicy;
  const policy: SlicePolicy = {
    ...(maxRestarts !== undefined && { maxRestarts }),
    ...(completion === 'Once' && { completion }),
  };
  const special = new Map<string, Stream>();
  for (const [index, stream] of streams.entries()) {
    if (isSpecial(stream)) special.set(stream.name, stream);
    if (endsPiece(index)) yield;
  }
  return ({ name, slot, before }) => {
    const given = jobs.get(name) ?? [];
    const kept = releasing.get(name) ?? [];
    const idle = suspended.get(name) ?? [];
    const specialAmong = (names: readonly string[]): readonly Stream[] =>
      special.size === 0 ? [] : names.flatMap((job) => special.get(job) ?? []);
    const placed = specialAmong([...given, ...idle]);
    // No list says what they are: the publication has to, while another worker gets them.
    const leaving = specialAmong(kept).filter(({ isReadBack }) => isReadBack === true);
    const parameters = [...placed, ...leaving].flatMap(({ name: job, parameters: values }) =>
      values === undefined ? [] : [[job, values] as const],
    );
    const weights = [...placed.filter(({ weight }) => weight > 0), ...leaving].map(
      ({ name: job, weight }) => [job, weight] as const,
    );
    const added = [...placed, ...specialAmong(kept)].flatMap(({ name: job, isAdded }) =>
      isAdded === true ? [job] : [],
    );
    const restarts = restartsOf(tokens, given, before?.restarts);
    return {
      ...(slot !== undefined && { slot }),
      jobs: given,
      version,
      ...(kept.length > 0 && { releasing: kept }),
      ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
      ...(weights.length > 0 && { weights: Object.fromEntries(weights) }),
      ...(idle.length > 0 && { suspended: idle }),
      ...(added.length > 0 && { added }),
      ...(Object.keys(restarts).length > 0 && { restarts }),
      ...(Object.keys(policy).length > 0 && { policy }),
    };
  };
}

const isSpecial = ({ weight, parameters, isReadBack, isAdded }: Stream): boolean =>
  weight > 0 || parameters !== undefined || isReadBack === true || isAdded === true;

/** Besides restarts. The order of jobs asks nothing: rearranging a list changes no slice. */
function asksTheSame(a: Slice, b: Slice): boolean {
  if (a.jobs.length !== b.jobs.length || a.slot !== b.slot) return false;
  if (!isSameJson(a.policy ?? {}, b.policy ?? {})) return false;
  if (!isSameList(a.suspended ?? [], b.suspended ?? [])) return false;
  if (!isSameList(a.added ?? [], b.added ?? [])) return false;
  const sorted = (slice: Slice): Slice => ({
    ...slice,
    jobs: [...slice.jobs].sort(),
    releasing: [...(slice.releasing ?? [])].sort(),
    parameters: sortedKeys(slice.parameters ?? {}),
    weights: sortedKeys(slice.weights ?? {}),
  });
  return digestOf(sorted(a)) === digestOf(sorted(b));
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().join('\n') === [...b].sort().join('\n');

const isSameRecord = (a: Slice['restarts'] = {}, b: Slice['restarts'] = {}): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([stream, token]) => own(b, stream) === token);

function sortedKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isRecord(value) ? (sortedKeys(value) as T) : value]),
  );
}
