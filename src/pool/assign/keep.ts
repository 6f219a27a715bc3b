// Which streams keep their worker although their entry has an error? Those that are published at a
// worker, if all other streams get the same as without them.
import { isSameJson } from '../../core/json.ts';
import type { Reason } from '../../core/reason.ts';
import { runToEnd, type Work } from '../../core/work.ts';
import type { PlacementReason } from '../reasons.ts';
import { assignInTurns } from './assign.ts';
import { problemOf } from './problem/pose.ts';
import {
  type AssignInput,
  type AssignStream,
  NONE,
  type OwnersBefore,
  onceFor,
  presentText,
} from './problem/problem.ts';
import { tableOf } from './problem/table.ts';
import { type AssignResult, type LastAssignment, listsOf } from './result.ts';

type Asked = AssignInput & {
  /** While these are the same objects, `weightAt` returns the same values. */
  readonly weightsFrom: readonly unknown[];
};

export type KeepInput = Asked & {
  /**
   * The weight that the stream reserves at its earlier worker; undefined: it is not published
   * there.
   */
  readonly weightAt: (worker: string, stream: AssignStream) => number | undefined;
};

export type KeptStream = Reason<PlacementReason> & {
  readonly name: string;
  readonly worker: string;
  /** The weight that stays in use, whatever the list says. */
  readonly weight: number;
};

export type KeepingResult = AssignResult & {
  /** In list order; the message names the invalid value. */
  readonly kept: readonly KeptStream[];
};

export type LastKeeping = LastAssignment & {
  readonly input: Asked;
  readonly result: KeepingResult;
};

/** A stream that no worker can get, and that one has. */
type Candidate = KeptStream & {
  readonly index: number;
  readonly at: number;
  /** The message if it cannot be kept. */
  readonly refusal: string;
};

type Candidates = { readonly all: readonly Candidate[]; readonly before: OwnersBefore };

/** Candidates make room for every other stream. */
const LAST_PRIORITY = Number.MIN_SAFE_INTEGER;
/**
 * In this number of rounds, only those candidates are left out for which others would make room;
 * then all are.
 */
const MOST_ROUNDS = 3;

export const assignAndKeep = (input: KeepInput, last?: LastKeeping): KeepingResult =>
  runToEnd(assignKeeping(input, last)).result;

/**
 * Candidates take part unchanged: at their worker, with their weight there. If that makes another
 * stream worse off, the candidates at its worker take no part, and only keep room that is left.
 */
export function* assignKeeping(input: KeepInput, last?: LastKeeping): Work<LastKeeping> {
  if (last !== undefined && asksTheSame(input, last.input)) return last;
  const { weightAt: _, ...asked } = input;
  const candidates = yield* candidatesIn(input, last);
  if (candidates === undefined) {
    const { result, before } = yield* assignInTurns(input, last);
    return { input: asked, result: { ...result, kept: [] }, before };
  }
  yield;
  const done = (result: AssignResult): LastKeeping => ({
    input: asked,
    result: keepingTheRest(input, candidates, result),
    before: candidates.before,
  });
  const assigned = function* (given: AssignInput): Work<AssignResult> {
    return (yield* assignInTurns(given, last)).result;
  };
  let part = candidates.all;
  let without: AssignResult | undefined;
  for (let round = 1; part.length > 0; round += 1) {
    const result = yield* assigned(takingPart(input, part));
    if (isCalm(candidates, result)) return done(result);
    without ??= yield* assigned(input);
    const worse = worseOff(candidates, result, without);
    const isDelayed = result.deferred > without.deferred;
    if (worse.length === 0 && !isDelayed) return done(result);
    const left = new Set(worse.map((stream) => candidates.before.owner[stream]));
    const others = part.filter(({ at }) => !left.has(at));
    part = isDelayed || round === MOST_ROUNDS || others.length === part.length ? [] : others;
  }
  return done(without ?? (yield* assigned(input)));
}

/** Compares inputs of the same pool, most of whose objects are identical. */
function asksTheSame(a: Asked, b: Asked): boolean {
  return (
    a.streams === b.streams &&
    a.capacity === b.capacity &&
    a.overcommit === b.overcommit &&
    a.rebalances === b.rebalances &&
    a.maxMoves === b.maxMoves &&
    isSameJson(
      a.elsewhere && { ...a.elsewhere, away: [...a.elsewhere.away] },
      b.elsewhere && { ...b.elsewhere, away: [...b.elsewhere.away] },
    ) &&
    a.weightsFrom.length === b.weightsFrom.length &&
    a.weightsFrom.every((it, index) => it === b.weightsFrom[index]) &&
    a.workers.length === b.workers.length &&
    a.workers.every((worker, index) => {
      const other = b.workers[index];
      return (
        worker.name === other?.name &&
        worker.ordinal === other.ordinal &&
        worker.isCordoned === other.isCordoned &&
        a.previous.get(worker.name) === b.previous.get(worker.name)
      );
    })
  );
}

/** Undefined: no stream has such an error, which is the usual case. */
function* candidatesIn(input: KeepInput, last?: LastKeeping): Work<Candidates | undefined> {
  const { streams, workers, capacity, overcommit } = input;
  const ordinals = new Set(workers.map(({ ordinal }) => ordinal));
  const isTooHeavy = ({ weight }: AssignStream): boolean => weight > capacity && !overcommit;
  const isMispinned = ({ ordinal }: AssignStream): boolean =>
    ordinal !== undefined && !ordinals.has(ordinal);
  const table = tableOf(streams, last);
  const hasMispinned =
    table.isPinned && table.ordinal.some((it) => it !== NONE && !ordinals.has(it));
  const hasTooHeavy =
    table.isWeighted && !overcommit && table.weight.some((weight) => weight > capacity);
  if (!hasTooHeavy && !hasMispinned) return undefined;
  const { problem, excluded, isExact } = yield* problemOf(input, last);
  // A user who cordons a worker wants it empty, including its pinned streams.
  const isCordoned = new Set(
    excluded.flatMap(({ index, reason }) => (reason === 'PinnedWorkerCordoned' ? [index] : [])),
  );
  const heavy = onceFor(
    (weight) => `weight is ${weight}, but spec.workers.capacity is ${capacity}`,
  );
  const present = presentText(workers);
  const mispinned = onceFor(
    (ordinal) => `ordinal is ${ordinal}, but there is no such worker, ${present}`,
  );
  const byIndex = new Map(excluded.map((it) => [it.index, it]));
  const all = [...byIndex.values()].flatMap(({ index, reason, message: refusal }): Candidate[] => {
    const at = problem.before[index] ?? NONE;
    const stream = streams[index];
    const worker = workers[at];
    if (stream === undefined || worker === undefined) return [];
    if (worker.isCordoned || isCordoned.has(index)) return [];
    const weight = input.weightAt(worker.name, stream);
    if (weight === undefined) return [];
    const message = [
      ...(isTooHeavy(stream) ? [heavy(stream.weight)] : []),
      ...(isMispinned(stream) ? [mispinned(stream.ordinal ?? NONE)] : []),
    ].join('; ');
    const { name } = stream;
    return [{ name, worker: worker.name, weight, reason, message, index, at, refusal }];
  });
  const before = { owner: problem.before, isExact };
  return all.length === 0 ? undefined : { all, before };
}

function takingPart(input: KeepInput, part: readonly Candidate[]): AssignInput {
  const { streams, capacity, overcommit } = input;
  const weights = new Map(part.map(({ index, weight }) => [index, weight]));
  // The capacity may be smaller now than the kept weight.
  const most = overcommit ? Number.POSITIVE_INFINITY : capacity;
  return {
    ...input,
    streams: streams.map((stream, index) => {
      const weight = weights.get(index);
      if (weight === undefined) return stream;
      return { ...stream, weight: Math.min(weight, most), priority: LAST_PRIORITY };
    }),
    kept: new Map(part.map(({ index, at }) => [index, at])),
  };
}

/** Other streams without a worker, or with another worker than before. */
function* changed({ all, before }: Candidates, { owner }: AssignResult): Iterable<number> {
  const mine = new Set(all.map(({ index }) => index));
  for (let stream = 0; stream < owner.length; stream += 1) {
    const is = owner[stream] ?? NONE;
    const was = before.owner[stream] ?? NONE;
    if ((is === NONE || (was !== NONE && was !== is)) && !mine.has(stream)) yield stream;
  }
}

/** At rest no stream has to make room for another: one assignment is enough. */
function isCalm(candidates: Candidates, result: AssignResult): boolean {
  const [first] = changed(candidates, result);
  return first === undefined && result.deferred === 0;
}

/** Other streams that, without the candidates, would have a worker or keep theirs. */
const worseOff = (
  candidates: Candidates,
  result: AssignResult,
  without: AssignResult,
): readonly number[] =>
  [...changed(candidates, result)].filter((stream) => {
    const would = without.owner[stream] ?? NONE;
    return result.owner[stream] === NONE
      ? would !== NONE
      : would === candidates.before.owner[stream];
  });

/** The load of a worker with candidates: of other streams, and of the candidates. */
type Beside = { others: number; kept: number; isOwn: boolean; hasNew: boolean };

/** Candidates that took no part, or found no room, stay if room is left. */
function keepingTheRest(
  input: KeepInput,
  candidates: Candidates,
  result: AssignResult,
): KeepingResult {
  const { all } = candidates;
  const { overcommit, capacity } = input;
  const owner = Int32Array.from(result.owner);
  const beside = besideThem(input, candidates, result);
  let isChanged = false;
  for (const { index, at, weight } of all) {
    const there = beside.get(at);
    if (there === undefined || owner[index] !== NONE || !hasRoom(there, weight, input)) continue;
    owner[index] = at;
    there.kept += weight;
    isChanged = true;
  }
  const isKept = ({ index }: Candidate): boolean => owner[index] !== NONE;
  const refusals = new Map(all.map((it) => [it.name, isKept(it) ? undefined : it]));
  return {
    ...result,
    owner,
    jobs: isChanged ? listsOf(input, owner) : result.jobs,
    unassigned: result.unassigned.flatMap((it) => {
      if (!refusals.has(it.name)) return [it];
      const own = refusals.get(it.name);
      return own === undefined
        ? []
        : [{ name: own.name, reason: own.reason, message: own.refusal }];
    }),
    isOvercommitted:
      result.isOvercommitted ||
      (overcommit && [...beside.values()].some(({ others, kept }) => others + kept > capacity)),
    movedFrom: new Map([...result.movedFrom, ...movedBefore(input, all.filter(isKept))]),
    kept: all.filter(isKept).map(({ name, worker, weight, reason, message }) => ({
      ...{ name, worker, weight, reason, message },
    })),
  };
}

/** A kept stream that failed elsewhere still avoids that worker. */
const movedBefore = (
  { elsewhere }: KeepInput,
  kept: readonly Candidate[],
): readonly (readonly [stream: string, worker: string])[] =>
  kept.flatMap(({ name, worker }) => {
    const from = elsewhere?.away.get(name);
    return from === undefined || from === worker ? [] : [[name, from] as const];
  });

function besideThem(
  { streams, capacity }: KeepInput,
  { all, before }: Candidates,
  { owner }: AssignResult,
): ReadonlyMap<number, Beside> {
  const mine = new Map(all.map(({ index, weight }) => [index, weight]));
  const beside = new Map<number, Beside>(
    all.map(({ at }) => [at, { others: 0, kept: 0, isOwn: false, hasNew: false }]),
  );
  for (let stream = 0; stream < owner.length; stream += 1) {
    const there = beside.get(owner[stream] ?? NONE);
    if (there === undefined) continue;
    const kept = mine.get(stream);
    const weight = streams[stream]?.weight ?? 0;
    if (kept !== undefined) there.kept += kept;
    else {
      there.others += weight;
      there.isOwn ||= weight >= capacity;
      there.hasNew ||= before.owner[stream] !== owner[stream];
    }
  }
  return beside;
}

/**
 * Beside only weightless streams, candidates stay as they were, even if their weights exceed a
 * reduced capacity; but then no stream moves there.
 */
function hasRoom(there: Beside, weight: number, { capacity, overcommit }: KeepInput): boolean {
  if (there.isOwn) return false;
  if (overcommit) return true;
  const isWithin = weight < capacity && there.others + there.kept + weight <= capacity;
  return isWithin || (there.others === 0 && !there.hasNew);
}
