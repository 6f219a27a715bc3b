// How do a list of streams, the workers and their current streams become a problem in numbers?
import type { Work } from '../../../core/work.ts';
import type { LastAssignment } from '../result.ts';
import { ownersBefore } from './owners.ts';
import {
  type AssignInput,
  type AssignmentProblem,
  type AssignWorker,
  countWeightless,
  type Excluded,
  NONE,
  onceFor,
  presentText,
} from './problem.ts';
import { type StreamTable, tableOf } from './table.ts';

type Posed = {
  readonly problem: AssignmentProblem;
  readonly excluded: readonly Excluded[];
  readonly isExact: boolean;
};

export function* problemOf(input: AssignInput, last?: LastAssignment): Work<Posed> {
  const { streams, workers, capacity } = input;
  const table = tableOf(streams, last);
  const { pin, excluded } = pinsOf(input, table);
  yield;
  const had = yield* ownersBefore(input, last);
  return {
    problem: {
      count: streams.length,
      weight: table.weight,
      pin,
      away: new Int32Array(streams.length).fill(NONE),
      left: [],
      group: table.group,
      groups: table.groups,
      isPinned: table.isPinned || input.kept !== undefined,
      isWeighted: table.isWeighted,
      before: had.owner,
      weightless: countWeightless(had.owner, table.weight, workers.length),
      workers: workers.length,
      isCordoned: Uint8Array.from(workers, (worker) => (worker.isCordoned ? 1 : 0)),
      capacity,
    },
    excluded,
    isExact: had.isExact,
  };
}

function pinsOf(
  { streams, workers, capacity, overcommit, kept }: AssignInput,
  { weight, ordinal, isPinned, isWeighted }: StreamTable,
): { readonly pin: Int32Array; readonly excluded: readonly Excluded[] } {
  if (!isPinned && !isWeighted && kept === undefined) return { pin: ordinal, excluded: [] };
  const count = weight.length;
  const pin = new Int32Array(count).fill(NONE);
  const byOrdinal = new Map(workers.map((worker, index) => [worker.ordinal, index]));
  const excluded: Excluded[] = [];
  const tooHeavy = onceFor((own) => `needs ${own}, but a worker's whole capacity is ${capacity}`);
  for (let index = 0; index < count; index += 1) {
    const keeper = kept?.get(index);
    if (keeper !== undefined) {
      pin[index] = keeper;
      continue;
    }
    const pinned = isPinned ? (ordinal[index] ?? NONE) : NONE;
    if (pinned !== NONE) {
      const worker = byOrdinal.get(pinned);
      pin[index] = worker ?? NONE;
      const why = pinProblem(pinned, workers[worker ?? NONE], workers);
      if (why !== undefined) excluded.push({ index, ...why });
    }
    const own = weight[index] ?? 0;
    if (own > capacity && !overcommit)
      excluded.push({
        index,
        reason: 'TooHeavy',
        message: tooHeavy(streams[index]?.weight ?? own),
      });
  }
  return { pin, excluded };
}

function pinProblem(
  ordinal: number,
  worker: AssignWorker | undefined,
  workers: readonly AssignWorker[],
): Omit<Excluded, 'index'> | undefined {
  if (worker === undefined) {
    return {
      reason: 'PinnedWorkerMissing',
      message: `is pinned to ordinal ${ordinal}, but there is no such worker, ${presentText(workers)}`,
    };
  }
  if (worker.isCordoned)
    return {
      reason: 'PinnedWorkerCordoned',
      message: `is pinned to ordinal ${ordinal}, which is cordoned`,
    };
  return undefined;
}
