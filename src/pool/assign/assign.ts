// Which worker should run which stream? Reserved streams are placed first, and weightless ones are
// spread beside them.

import type { Reason } from '../../core/reason.ts';
import { plural } from '../../core/text.ts';
import { runToEnd, type Work } from '../../core/work.ts';
import type { PlacementReason } from '../reasons.ts';
import { admit } from './admit.ts';
import { movedFrom } from './elsewhere.ts';
import { spreadEvenly, spreadGroups } from './even.ts';
import { type Arrive, arriveFrom, type Refused, type Settled, withinMaxMoves } from './moves.ts';
import { Placement } from './placement.ts';
import { largestGroup, lastPinned, workersForWeights } from './problem/demand.ts';
import { problemOf } from './problem/pose.ts';
import {
  type AssignInput,
  type AssignmentProblem,
  type Excluded,
  NONE,
  onceFor,
  usableWorkers,
} from './problem/problem.ts';
import { tableOf } from './problem/table.ts';
import { type AssignResult, type LastAssignment, listsOf, type Unassigned } from './result.ts';

/** Deterministic. Applied to its own result it changes nothing, except for deferred moves. */
export const assign = (input: AssignInput, last?: LastAssignment): AssignResult =>
  runToEnd(assignInTurns(input, last)).result;

/** The last assignment does not change the result, but speeds up the search. */
export function* assignInTurns(input: AssignInput, last?: LastAssignment): Work<LastAssignment> {
  const { problem, excluded, isExact } = yield* problemOf(input, last);
  yield;
  const table = tableOf(input.streams);
  const neededFor = (without?: ReadonlySet<number>): number =>
    workersForWeights(table, input.capacity, input.overcommit, without);
  const enough = Math.max(neededFor(), lastPinned(table) + 1);
  const neededForWeights = neededFor(new Set(excluded.map(({ index }) => index)));
  yield;
  const arrive: Arrive = (from, exchanges) =>
    arriveFrom(from, input, exchanges, (at, most) =>
      assignOnce(at, excluded, neededForWeights, input, most),
    );
  const whole = yield* arrive(problem, Number.POSITIVE_INFINITY);
  yield;
  const { arrived, deferred } = yield* withinMaxMoves(problem, whole, input.maxMoves, arrive);
  const { placement, refused, leavers } = arrived;
  yield;
  const jobs = listsOf(input, placement.owner, last);
  yield;
  const result = {
    jobs,
    owner: placement.owner,
    unassigned: unassignedOf(input, refused),
    enough,
    neededForWeights,
    required: Math.max(enough, largestGroup(table)),
    deferred,
    isOvercommitted: placement.load.some((load) => load > input.capacity),
    movedFrom: movedFrom(input, placement.owner, leavers),
  };
  return { input, result, before: { owner: problem.before, isExact } };
}

/** In list order. */
const unassignedOf = ({ streams }: AssignInput, refused: Refused): readonly Unassigned[] =>
  [...refused]
    .sort(([a], [b]) => a - b)
    .map(([index, why]) => ({ name: streams[index]?.name ?? '', ...why }));

/**
 * `isRestless` asks for another run: evening out may have freed room, or spreading groups may have
 * changed placements.
 */
function* assignOnce(
  problem: AssignmentProblem,
  excluded: readonly Excluded[],
  neededForWeights: number,
  input: AssignInput,
  exchanges: number,
): Work<Settled> {
  const isUsable = usableWorkers(problem) > 0;
  const refused: Refused = new Map(
    excluded.map(({ index, reason, message }) => [index, { reason, message }]),
  );
  if (!isUsable) {
    const message = problem.workers === 0 ? 'there is no worker' : 'every worker is cordoned';
    for (let at = 0; at < problem.count; at += 1)
      if (!refused.has(at)) refused.set(at, { reason: 'NoWorkers', message });
  }
  const { placement, unplaced } = isUsable
    ? yield* placeReserved(problem, input, refused)
    : { placement: new Placement(problem), unplaced: [] };
  const noRoom = noRoomTexts(placement, neededForWeights);
  for (const stream of unplaced) refused.set(stream, noRoom(stream));
  yield;
  yield* spreadWeightless(problem, placement, input.rebalances, exchanges, refused);
  const hasReserved = placement.load.some((load) => load > 0);
  return {
    placement,
    refused,
    isRestless: unplaced.length > 0 || (hasReserved && problem.groups > 0),
    isShort: refused.size > excluded.length,
  };
}

function* placeReserved(
  problem: AssignmentProblem,
  input: AssignInput,
  refused: Refused,
): ReturnType<typeof admit> {
  const { streams } = input;
  const reserved: number[] = [];
  if (!problem.isWeighted) return { placement: new Placement(problem), unplaced: [] };
  for (let at = 0; at < problem.count; at += 1)
    if ((problem.weight[at] ?? 0) > 0 && !refused.has(at)) reserved.push(at);
  if (reserved.length === 0) return { placement: new Placement(problem), unplaced: [] };
  const priority = (stream: number): number => streams[stream]?.priority ?? 0;
  if (reserved.some((stream) => priority(stream) !== 0))
    reserved.sort((a, b) => priority(b) - priority(a) || a - b);
  const admitted = yield* admit(problem, reserved, input.rebalances);
  if (admitted.unplaced.length > 0 && input.overcommit) {
    // Without enough room, the weights only determine the shares of the load.
    const boundless = { ...problem, capacity: Number.MAX_SAFE_INTEGER };
    return yield* admit(boundless, reserved, input.rebalances);
  }
  const preempted = pickPreempted(problem, input, admitted.placement, refused);
  if (preempted === undefined) return admitted;
  const rest = yield* admit(
    problem,
    reserved.filter((stream) => stream !== preempted),
    input.rebalances,
  );
  return { placement: rest.placement, unplaced: [...rest.unplaced, preempted] };
}

/**
 * Weightless streams need one worker that is not dedicated to a single stream. The least important
 * owner of a worker makes way for a more important weightless stream.
 */
function pickPreempted(
  problem: AssignmentProblem,
  { streams }: AssignInput,
  placement: Placement,
  refused: Refused,
): number | undefined {
  if (placement.shared().length > 0) return undefined;
  let highest = Number.NEGATIVE_INFINITY;
  streams.forEach(({ priority }, at) => {
    if (problem.weight[at] === 0 && problem.pin[at] === NONE && !refused.has(at))
      highest = Math.max(highest, priority);
  });
  const owners = [...placement.dedicated].filter((stream) => stream !== NONE);
  const [least] = owners.sort(
    (a, b) => (streams[a]?.priority ?? 0) - (streams[b]?.priority ?? 0) || b - a,
  );
  return least !== undefined && (streams[least]?.priority ?? 0) < highest ? least : undefined;
}

function* spreadWeightless(
  problem: AssignmentProblem,
  placement: Placement,
  rebalances: boolean,
  exchanges: number,
  refused: Refused,
): Work<void> {
  const { owner } = placement;
  const isOpen = placement.open();
  const isWeightless = weightlessToSpread(problem, owner, isOpen, refused);
  if (isWeightless === undefined) return;
  yield* spreadEvenly({ problem, owner, isWeightless, isOpen, load: placement.share, rebalances });
  if (rebalances) yield* spreadGroups(problem, owner, isOpen, exchanges);
  for (let at = owner.indexOf(NONE); at >= 0; at = owner.indexOf(NONE, at + 1))
    if (isWeightless[at] === 1) refused.set(at, noSharedWorker);
}

/** By stream: 1 if it is weightless and may have a worker. Undefined: there is no such stream. */
function weightlessToSpread(
  { count, weight, pin, before, isPinned, isWeighted }: AssignmentProblem,
  owner: Int32Array,
  isOpen: Uint8Array,
  refused: Refused,
): Uint8Array | undefined {
  const isWeightless = new Uint8Array(count);
  if (!isPinned && !isWeighted && refused.size === 0) {
    owner.set(before);
    return count === 0 ? undefined : isWeightless.fill(1);
  }
  let weightless = 0;
  for (let at = 0; at < count; at += 1) {
    if (weight[at] !== 0 || (refused.size > 0 && refused.has(at))) continue;
    const pinned = pin[at] ?? NONE;
    if (pinned !== NONE && isOpen[pinned] === 0) {
      refused.set(at, workerTaken);
      continue;
    }
    isWeightless[at] = 1;
    weightless += 1;
    owner[at] = before[at] ?? NONE;
  }
  return weightless === 0 ? undefined : isWeightless;
}

const workerTaken: Reason<PlacementReason> = {
  reason: 'PinnedWorkerTaken',
  message: 'another stream reserves the whole worker that it is pinned to',
};
const noSharedWorker: Reason<PlacementReason> = {
  reason: 'NoSharedWorker',
  message: 'every worker is reserved by a single stream; one more worker would be enough',
};

function noRoomTexts(
  placement: Placement,
  needed: number,
): (stream: number) => Reason<PlacementReason> {
  const { problem } = placement;
  const most = placement.mostRoom();
  const lacking = Math.max(1, needed - usableWorkers(problem));
  const because = (lacks: string): Reason<PlacementReason> => ({
    reason: 'InsufficientCapacity',
    message: `${lacks}; ${plural(lacking, 'more worker')} would be enough`,
  });
  const whole = because('needs a worker of its own');
  const shared = onceFor((weight) => because(`needs ${weight}, but the freest worker has ${most}`));
  return (stream) => {
    const pin = problem.pin[stream] ?? NONE;
    const weight = placement.weightOf(stream);
    if (pin === NONE) return placement.isWhole(stream) ? whole : shared(weight);
    const free = placement.isShared(pin) ? placement.roomOn(pin) : 0;
    const message = `needs ${weight}, but the worker that it is pinned to has ${free}`;
    return { reason: 'PinnedWorkerFull', message };
  };
}
