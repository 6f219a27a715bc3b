// Which streams are completed (streamPolicy.completion Once), and which have failed at their worker
// for so long that they leave it (streamPolicy.moveAfterSeconds)?
import { own } from '../../api/objects.ts';
import type { WorkerReport } from '../../api/report.ts';
import { isFailing } from '../../api/reported-streams.ts';
import type { Validated } from '../preconditions.ts';
import { isAtWork, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld, Published } from '../world.ts';
import { namesIn } from './names.ts';
import type { Stream } from './streams.ts';

/** By stream: the token of the restart that it ran with, or an empty text. */
export type Completed = ReadonlyMap<string, string>;

const none: Completed = new Map();

/**
 * `tokens`: a completed stream with another token runs again. `isLost`: no publication is left, and
 * the reports of workers count.
 */
export function completedStreams(
  { assignment }: Published,
  { spec, streams, blockedParts }: Validated,
  workers: readonly PoolWorker[],
  tokens: ReadonlyMap<string, string>,
  isLost: boolean,
): Completed {
  if (spec.streamPolicy.completion === 'Never') return none;
  const told = workers.flatMap((worker) => completedBy(worker, tokens, isLost));
  const recorded = assignment?.completed ?? none;
  if (told.length === 0 && recorded.size === 0) return none;
  const isOld = ([name, token]: readonly [string, string]): boolean => recorded.get(name) === token;
  if (tokens.size === 0 && blockedParts.list === undefined && told.every(isOld))
    return listedOf(recorded, streams);
  const done = new Map([...recorded, ...told]);
  for (const name of mayRunAgain(streams, tokens))
    if (done.has(name) && done.get(name) !== tokens.get(name)) done.delete(name);
  // A list that cannot be read now may contain the stream.
  if (blockedParts.list !== undefined) return done;
  return listedOf(done, streams);
}

const listed = new WeakMap<
  Completed,
  { readonly streams: readonly Stream[]; readonly completed: Completed }
>();

/** Returns the same object while the list and the record stay the same. */
function listedOf(done: Completed, streams: readonly Stream[]): Completed {
  const known = listed.get(done);
  if (known?.streams === streams) return known.completed;
  const names = namesIn(streams);
  const left = [...done].filter(([name]) => names.get(name) !== undefined);
  const completed = left.length === done.size ? done : new Map(left);
  listed.set(done, { streams, completed });
  return completed;
}

/**
 * For a stream that the list lacks, or whose list cannot be read, no token says how it should run.
 */
const mayRunAgain = (
  streams: readonly Stream[],
  tokens: ReadonlyMap<string, string>,
): readonly string[] =>
  tokens.size === 0
    ? []
    : streams.flatMap(({ name, isReadBack, isSuspended }) =>
        tokens.has(name) && isReadBack !== true && isSuspended !== true ? [name] : [],
      );

/** Reports count for the worker's own streams, from the version on that assigned them. */
function completedBy(
  { before, answer }: PoolWorker,
  tokens: ReadonlyMap<string, string>,
  isLost: boolean,
): readonly (readonly [string, string])[] {
  // A report from before the worker stopped answering counts, too.
  const report: WorkerReport | undefined = answer?.ok === true ? answer.report : answer?.last;
  if (report?.streams === undefined) return [];
  if (before === undefined ? !isLost : report.version < before.version) return [];
  const told = Object.entries(report.streams).filter(([, { state }]) => state === 'Completed');
  if (told.length === 0) return [];
  const mine = new Set(before?.jobs ?? report.jobs);
  // If the publication is lost, the token of the last run is lost, too.
  const tokenOf = (name: string): string =>
    (before === undefined ? tokens.get(name) : own(before.restarts, name)) ?? '';
  return told.flatMap(([name]) => (mine.has(name) ? [[name, tokenOf(name)] as const] : []));
}

const open = new WeakMap<
  Completed,
  { readonly streams: readonly Stream[]; readonly left: readonly Stream[] }
>();

/** Returns the same object while the list and the completed streams stay the same. */
export function withoutCompleted(
  streams: readonly Stream[],
  completed: Completed,
): readonly Stream[] {
  if (completed.size === 0) return streams;
  const known = open.get(completed);
  if (known?.streams === streams) return known.left;
  const left = streams.filter(({ name }) => !completed.has(name));
  open.set(completed, { streams, left });
  return left;
}

type DueStream = {
  readonly stream: string;
  readonly worker: string;
  readonly forMs: number;
};

export type Elsewhere = {
  /** By stream that has moved: the worker that it avoids, by its current name. */
  readonly away: ReadonlyMap<string, string>;
  /** Streams that should move now if others have room, the longest failing first. */
  readonly due: readonly DueStream[];
  /** The number of these streams that may move. */
  readonly most: number;
  readonly nextInMs: number | undefined;
};

/**
 * For this time a stream that has moved avoids the worker that it left, and does not move again: a
 * stream that fails at two workers fails at others, too. moveAfterSeconds may not be longer, so no
 * stream moves twice within it.
 */
export const KEPT_AWAY_MS = 86_400_000;
/** The most streams that may be away: each takes a line of a ConfigMap. */
const MOST_AWAY = 1_000;
/** One part in ten of a pool, or one stream, may move within moveAfterSeconds. */
const PART = 10;

type Facts = Pick<PoolWorld, 'published' | 'ages'>;
type Checked = Pick<Validated, 'spec' | 'streams' | 'blockedParts'>;

/** Undefined: the pool leaves failing streams where they are. */
export function elsewhereOf(
  { published, ages }: Facts,
  { spec, streams, blockedParts }: Checked,
  workers: readonly PoolWorker[],
): Elsewhere | undefined {
  const { moveAfterSeconds } = spec.streamPolicy;
  if (moveAfterSeconds === undefined) return undefined;
  const afterMs = moveAfterSeconds * 1000;
  const agoMs = (stream: string): number => ages.movedMs?.get(stream) ?? 0;
  const recorded = published.assignment?.movedFrom ?? new Map<string, string>();
  const kept = [...recorded].filter(([stream]) => agoMs(stream) < KEPT_AWAY_MS);
  const away = new Map(kept.length === 0 ? [] : withPresentNames(kept, workers));
  const waits = [...away.keys()].map((stream) => KEPT_AWAY_MS - agoMs(stream));
  const due: DueStream[] = [];
  for (const worker of workers) {
    const failing = failingAt(worker, ages).filter(([stream]) => !away.has(stream));
    const [over, others] = [failing.filter(isOver), failing.filter((it) => !isOver(it))];
    waits.push(...others.map(([, ms]) => afterMs - ms));
    due.push(...over.map(([stream, forMs]) => ({ stream, worker: worker.name, forMs })));
  }
  function isOver([, ms]: readonly [string, number]): boolean {
    return ms >= afterMs;
  }
  const lately = [...away.keys()].map(agoMs).filter((ms) => ms < afterMs);
  const part = Math.max(1, Math.floor(streams.length / PART));
  const most = Math.max(0, Math.min(part - lately.length, MOST_AWAY - away.size));
  if (due.length > most) waits.push(...lately.map((ms) => afterMs - ms));
  return {
    away,
    // While a list cannot be read, its pins are unknown.
    due: blockedParts.list === undefined ? due.sort(longestFirst) : [],
    most,
    nextInMs: waits.length === 0 ? undefined : waits.reduce((a, b) => Math.min(a, b)),
  };
}

/** The pod of a Deployment's worker may have been replaced by one with another name. */
function withPresentNames(
  away: readonly (readonly [stream: string, worker: string])[],
  workers: readonly PoolWorker[],
): readonly (readonly [string, string])[] {
  const names = new Map(workers.map(({ name, from }) => [from, name]));
  return away.flatMap(([stream, worker]) => {
    const name = names.get(worker);
    return name === undefined ? [] : [[stream, name] as const];
  });
}

type Failing = readonly (readonly [stream: string, forMs: number])[];

/** The failing streams of a worker that reports now. */
function failingAt({ pod, answer }: PoolWorker, { failingMs }: Facts['ages']): Failing {
  if (pod === undefined || !isAtWork(pod) || answer?.ok !== true) return [];
  const told = answer.report.streams;
  return [...(failingMs?.[pod.uid] ?? [])].filter(([stream]) => {
    const report = own(told, stream);
    return report !== undefined && isFailing(report.state);
  });
}

const longestFirst = (a: DueStream, b: DueStream): number =>
  b.forMs - a.forMs || (a.stream < b.stream ? -1 : 1);

/** The part that an assignment needs. */
export const toAssign = (elsewhere: Elsewhere | undefined) =>
  elsewhere && { ...elsewhere, due: elsewhere.due.map(({ stream }) => stream) };
