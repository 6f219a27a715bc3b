// Who should consume what? Reserved streams are admitted and placed, the others spread evenly
// beside them; as little moves as may be.
import { plural } from '../../core/meta.ts';
import { runToEnd, type Work } from '../../core/work.ts';
import type { Because, PlacementReason } from '../reasons.ts';
import { admit } from './admit.ts';
import { withinBudget } from './budget.ts';
import { spreadEvenly } from './even.ts';
import { spreadGroups } from './groups.ts';
import { onceFor } from './once.ts';
import { Placement } from './placement.ts';
import {
  type AssignInput,
  type AssignmentProblem,
  type Excluded,
  NOBODY,
  problemOf,
} from './problem.ts';
import { workersEnough } from './required.ts';

export type { AssignInput, AssignStream, AssignWorker } from './problem.ts';

/** Two are mostly enough; what is then not at rest gets there with the next change. */
const MOST_ROUNDS = 8;

export type Unassigned = Because<PlacementReason> & { readonly name: string };

export type AssignResult = {
  /** Every worker has a list, in list order. */
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  readonly unassigned: readonly Unassigned[];
  /** Workers that would be enough for all of it. */
  readonly required: number;
  /** Moves that the bound on moves has put off. */
  readonly deferred: number;
  /** Some worker carries more than its capacity. */
  readonly isOvercommitted: boolean;
};

/**
 * Deterministic; on its own result it changes nothing (but for what a bound on moves had put off).
 */
export const assign = (input: AssignInput): AssignResult => runToEnd(assignInPieces(input));

export function* assignInPieces(input: AssignInput): Work<AssignResult> {
  const { problem, excluded } = problemOf(input);
  yield;
  const required = workersEnough(input);
  yield;
  const once = (before: Int32Array): Work<Settled> =>
    assignOnce({ ...problem, before }, excluded, required, input);
  let { placement, refused, isRestless } = yield* once(problem.before);
  for (let round = 1; isRestless && round < MOST_ROUNDS; round += 1) {
    const next = yield* once(placement.owner);
    isRestless = next.placement.owner.some((worker, stream) => worker !== placement.owner[stream]);
    ({ placement, refused } = next);
  }
  yield;
  const deferred =
    input.maxMoves === undefined ? 0 : withinBudget(placement, problem.before, input.maxMoves);
  return {
    jobs: byWorker(input, placement.owner),
    unassigned: [...refused]
      .sort(([a], [b]) => a - b)
      .map(([index, why]) => ({ name: input.streams[index]?.name ?? '', ...why })),
    required,
    deferred,
    isOvercommitted: placement.load.some((load) => load > input.capacity),
  };
}

type Refused = Map<number, Because<PlacementReason>>;

/** `isRestless`: going on from it might change it once more. */
type Settled = {
  readonly placement: Placement;
  readonly refused: Refused;
  readonly isRestless: boolean;
};

/**
 * Evening out may make room for who found none, and who is kept apart from its group may be placed
 * otherwise the next time: there it is gone on from what came of it.
 */
function* assignOnce(
  problem: AssignmentProblem,
  excluded: readonly Excluded[],
  required: number,
  input: AssignInput,
): Work<Settled> {
  const isUsable = problem.isCordoned.some((cordoned) => cordoned === 0);
  const refused: Refused = new Map(
    excluded.map(({ index, reason, message }) => [index, { reason, message }]),
  );
  if (!isUsable) {
    const message =
      problem.workers === 0 ? 'there is no worker to give it to' : 'every worker is cordoned';
    for (let at = 0; at < problem.count; at += 1)
      if (!refused.has(at)) refused.set(at, { reason: 'NoWorkers', message });
  }
  const { placement, unplaced } = isUsable
    ? yield* placeReserved(problem, input, refused)
    : { placement: new Placement(problem), unplaced: [] };
  const room = roomOf(placement, required);
  const noRoom = wordsFor(placement, room);
  for (const stream of unplaced) refused.set(stream, noRoom(stream));
  yield;
  yield* spreadLight(problem, placement, input.rebalances, refused);
  const hasReserved = placement.load.some((load) => load > 0);
  return {
    placement,
    refused,
    isRestless: unplaced.length > 0 || (hasReserved && problem.groups > 0),
  };
}

function* placeReserved(
  problem: AssignmentProblem,
  input: AssignInput,
  refused: Refused,
): ReturnType<typeof admit> {
  const { streams } = input;
  const reserved: number[] = [];
  for (let at = 0; at < problem.count; at += 1)
    if ((problem.weight[at] ?? 0) > 0 && !refused.has(at)) reserved.push(at);
  if (reserved.length === 0) return { placement: new Placement(problem), unplaced: [] };
  const priority = (stream: number): number => streams[stream]?.priority ?? 0;
  // Mostly all are equally important, and then they are in order.
  if (reserved.some((stream) => priority(stream) !== 0))
    reserved.sort((a, b) => priority(b) - priority(a) || a - b);
  const admitted = yield* admit(problem, reserved, input.rebalances);
  if (admitted.unplaced.length > 0 && input.overcommit) {
    // There is no room for all of it, and it shall be carried all the same: weights then only tell
    // how to share the burden.
    const boundless = { ...problem, capacity: Number.MAX_SAFE_INTEGER };
    return yield* admit(boundless, reserved, input.rebalances);
  }
  const yielding = whoYields(problem, input, admitted.placement, refused);
  if (yielding === undefined) return admitted;
  const rest = yield* admit(
    problem,
    reserved.filter((stream) => stream !== yielding),
    input.rebalances,
  );
  return { placement: rest.placement, unplaced: [...rest.unplaced, yielding] };
}

/**
 * Streams that reserve nothing need one worker that is nobody's own: the least important owner of
 * one makes way for a more important of them.
 */
function whoYields(
  problem: AssignmentProblem,
  { streams }: AssignInput,
  placement: Placement,
  refused: Refused,
): number | undefined {
  if (placement.shared().length > 0) return undefined;
  let highest = Number.NEGATIVE_INFINITY;
  streams.forEach(({ priority }, at) => {
    if (problem.weight[at] === 0 && problem.pin[at] === NOBODY && !refused.has(at))
      highest = Math.max(highest, priority);
  });
  const owners = [...placement.dedicated].filter((stream) => stream !== NOBODY);
  const [least] = owners.sort(
    (a, b) => (streams[a]?.priority ?? 0) - (streams[b]?.priority ?? 0) || b - a,
  );
  return least !== undefined && (streams[least]?.priority ?? 0) < highest ? least : undefined;
}

function* spreadLight(
  problem: AssignmentProblem,
  placement: Placement,
  rebalances: boolean,
  refused: Refused,
): Work<void> {
  const { owner } = placement;
  const isLight = new Uint8Array(problem.count);
  const isOpen = Uint8Array.from({ length: problem.workers }, (_, worker) =>
    placement.isShared(worker) ? 1 : 0,
  );
  let light = 0;
  for (let at = 0; at < problem.count; at += 1) {
    if (problem.weight[at] !== 0 || refused.has(at)) continue;
    const pin = problem.pin[at] ?? NOBODY;
    if (pin !== NOBODY && isOpen[pin] === 0) {
      refused.set(at, {
        reason: 'PinnedWorkerTaken',
        message: 'the worker that it is pinned to is another stream’s own',
      });
      continue;
    }
    isLight[at] = 1;
    light += 1;
    owner[at] = problem.before[at] ?? NOBODY;
  }
  if (light === 0) return;
  yield* spreadEvenly({ problem, owner, isLight, isOpen, rebalances });
  if (rebalances) yield* spreadGroups(problem, owner, isOpen);
  for (let at = 0; at < problem.count; at += 1) {
    if (isLight[at] === 1 && owner[at] === NOBODY) {
      refused.set(at, {
        reason: 'NoSharedWorker',
        message: 'every worker is some stream’s own; one more worker would be enough',
      });
    }
  }
}

type Room = { readonly most: number; readonly lacking: number };

/** How much room the freest worker has, and how many workers more there would have to be. */
function roomOf(placement: Placement, required: number): Room {
  const { problem, load } = placement;
  const usable = problem.isCordoned.reduce(
    (count, cordoned) => count + (cordoned === 0 ? 1 : 0),
    0,
  );
  const most = placement
    .shared()
    .reduce((free, worker) => Math.max(free, problem.capacity - (load[worker] ?? 0)), 0);
  return { most, lacking: Math.max(1, required - usable) };
}

/** What a stream lacks, and what would be enough. */
function wordsFor(
  placement: Placement,
  { most, lacking }: Room,
): (stream: number) => Because<PlacementReason> {
  const { problem, load } = placement;
  const enough = `${plural(lacking, 'more worker')} would be enough`;
  const because = (lacks: string): Because<PlacementReason> => ({
    reason: 'InsufficientCapacity',
    message: `${lacks}; ${enough}`,
  });
  const whole = because('needs a worker of its own');
  const shared = onceFor((weight) => because(`needs ${weight}, the freest worker has ${most}`));
  return (stream) => {
    const pin = problem.pin[stream] ?? NOBODY;
    const weight = placement.weightOf(stream);
    if (pin === NOBODY) return placement.isWhole(stream) ? whole : shared(weight);
    const free = placement.isShared(pin) ? problem.capacity - (load[pin] ?? 0) : 0;
    return {
      reason: 'PinnedWorkerFull',
      message: `needs ${weight}, the worker that it is pinned to has ${free}`,
    };
  };
}

function byWorker(
  { streams, workers }: AssignInput,
  owner: Int32Array,
): ReadonlyMap<string, readonly string[]> {
  const lists: string[][] = workers.map(() => []);
  for (let at = 0; at < streams.length; at += 1)
    lists[owner[at] ?? NOBODY]?.push(streams[at]?.name ?? '');
  return new Map(workers.map(({ name }, index) => [name, lists[index] ?? []]));
}
