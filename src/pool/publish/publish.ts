// What should stand in the ConfigMaps, and is that a change?
import { digestOf, readAssigned, type Slice } from '../../api/assignment.ts';
import { isRecord } from '../../api/objects.ts';
import type { Work } from '../../core/work.ts';
import type { ChangeReason } from '../reasons.ts';
import type { Stream } from '../streams.ts';
import type { Member } from '../workers/members.ts';
import { reasonOf } from './change-reason.ts';
import { carriedOn, movesOf } from './moves.ts';
import { hasMoved, inPlace, placesIn } from './places.ts';
import type { Publication, PublishInput } from './publication.ts';
import { receiversFirst, writesOf } from './shard-writes.ts';

/** Every desired or living worker has an entry; an unchanged slice keeps its version. */
export function* publicationOf(input: PublishInput): Work<Publication> {
  const { members, jobs, releasing, streams, previous, floor, time } = input;
  const version = Math.max(previous?.version ?? 0, floor) + 1;
  // A restored older copy: workers have seen newer versions and would ignore it.
  const isRestored = previous !== undefined && (previous.version < floor || members.some(isBehind));
  const special = new Map(
    streams.flatMap((stream) => (isSpecial(stream) ? [[stream.name, stream] as const] : [])),
  );
  const workloads = new Map<string, Slice>();
  const placeOf = placesIn(input);
  const isInPlace = inPlace(input);
  yield;
  for (const member of members) {
    const { name, slot } = member;
    const asked = sliceOf(jobs.get(name) ?? [], releasing.get(name) ?? [], special, version);
    const slice = slot === undefined ? asked : { slot, ...asked };
    const before = previous?.workloads.get(name);
    const isKept =
      before !== undefined &&
      !isRestored &&
      isInPlace(before, name, placeOf(member)) &&
      asksTheSame(before, slice);
    workloads.set(name, isKept ? before : slice);
    yield;
  }
  yield;
  const writes = yield* writesOf(input, { workloads, version }, { isRestored, placeOf });
  if (previous !== undefined && writes.length === 0)
    return { assignment: previous, change: undefined, writes, moves: [] };
  // All slices are kept: a file was lost, edited or moved.
  const isKept =
    previous !== undefined &&
    !isRestored &&
    [...workloads.values()].every((slice) => slice.version !== version);
  const kept: ChangeReason = hasMoved(input) ? 'AssignmentMoved' : 'AssignmentMended';
  const reason =
    isKept && previous.workloads.size === workloads.size ? kept : reasonOf(input, isRestored);
  yield;
  const carried = carriedOn(previous, members);
  yield;
  const moves = yield* movesOf(carried, workloads, input.wanted, reason);
  const moved = moves.filter((move) => move.from !== undefined && move.to !== undefined).length;
  return {
    assignment: { workloads, version },
    change: { version, moves: moved, reason, time },
    writes: receiversFirst(writes, moves),
    moves,
  };
}

/** Its pod was told a newer version than its slice has. */
function isBehind({ before, pod }: Member): boolean {
  const told = readAssigned(pod?.assigned);
  return (
    before !== undefined &&
    told !== undefined &&
    told.uid === pod?.uid &&
    told.version > before.version
  );
}

const isSpecial = ({ weight, parameters }: Stream): boolean =>
  weight > 0 || parameters !== undefined;

function sliceOf(
  jobs: readonly string[],
  releasing: readonly string[],
  special: ReadonlyMap<string, Stream>,
  version: number,
): Slice {
  const own = special.size === 0 ? [] : jobs.flatMap((job) => special.get(job) ?? []);
  const parameters = own.flatMap(({ name, parameters: values }) =>
    values === undefined ? [] : [[name, values] as const],
  );
  const weights = own.flatMap(({ name, weight }) =>
    weight === 0 ? [] : [[name, weight] as const],
  );
  return {
    jobs,
    version,
    ...(releasing.length > 0 && { releasing }),
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    ...(weights.length > 0 && { weights: Object.fromEntries(weights) }),
  };
}

/** The order of jobs asks nothing of a worker: rearranging a list changes no slice. */
function asksTheSame(a: Slice, b: Slice): boolean {
  if (a.jobs.length !== b.jobs.length || a.slot !== b.slot) return false;
  const sorted = (slice: Slice): Slice => ({
    ...slice,
    jobs: [...slice.jobs].sort(),
    releasing: [...(slice.releasing ?? [])].sort(),
    parameters: sortedKeys(slice.parameters ?? {}),
    weights: sortedKeys(slice.weights ?? {}),
  });
  return digestOf(sorted(a)) === digestOf(sorted(b));
}

function sortedKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isRecord(value) ? (sortedKeys(value) as T) : value]),
  );
}
