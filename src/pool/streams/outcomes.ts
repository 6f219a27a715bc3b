// Which streams are done (streamPolicy.completion Once), and which have failed at their worker for
// so long that they leave it (streamPolicy.moveAfterSeconds)?
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
 * `tokens`: a completed stream with another one is to run again. `isLost`: nothing is published any
 * more, and the reports of workers count.
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
  // A list that cannot be read now may have them.
  if (blockedParts.list !== undefined) return done;
  return listedOf(done, streams);
}

const listed = new WeakMap<
  Completed,
  { readonly streams: readonly Stream[]; readonly completed: Completed }
>();

/** The same object while the list and the record stay. */
function listedOf(done: Completed, streams: readonly Stream[]): Completed {
  const known = listed.get(done);
  if (known?.streams === streams) return known.completed;
  const names = namesIn(streams);
  const left = [...done].filter(([name]) => names.get(name) !== undefined);
  const completed = left.length === done.size ? done : new Map(left);
  listed.set(done, { streams, completed });
  return completed;
}

/** Of one that the list lacks, or that cannot be read there, nothing says how it is to run. */
const mayRunAgain = (
  streams: readonly Stream[],
  tokens: ReadonlyMap<string, string>,
): readonly string[] =>
  tokens.size === 0
    ? []
    : streams.flatMap(({ name, isReadBack, isSuspended }) =>
        tokens.has(name) && isReadBack !== true && isSuspended !== true ? [name] : [],
      );

/** A worker is believed about its own streams, in the version that gave them to it or later. */
function completedBy(
  { before, answer }: PoolWorker,
  tokens: ReadonlyMap<string, string>,
  isLost: boolean,
): readonly (readonly [string, string])[] {
  // A report from before the worker fell silent counts, too.
  const report: WorkerReport | undefined = answer?.ok === true ? answer.report : answer?.last;
  if (report?.streams === undefined) return [];
  if (before === undefined ? !isLost : report.version < before.version) return [];
  const told = Object.entries(report.streams).filter(([, { state }]) => state === 'Completed');
  if (told.length === 0) return [];
  const mine = new Set(before?.jobs ?? report.jobs);
  // With a lost publication the token that it ran with is lost, too.
  const tokenOf = (name: string): string =>
    (before === undefined ? tokens.get(name) : own(before.restarts, name)) ?? '';
  return told.flatMap(([name]) => (mine.has(name) ? [[name, tokenOf(name)] as const] : []));
}

const open = new WeakMap<
  Completed,
  { readonly streams: readonly Stream[]; readonly left: readonly Stream[] }
>();

/** The same object while the list and what is completed stay. */
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
  /** By stream that moved before: the worker that it keeps away from, by its present name. */
  readonly away: ReadonlyMap<string, string>;
  /** Those that are to move now where others have room, the longest failing first. */
  readonly due: readonly DueStream[];
  /** How many of them may. */
  readonly most: number;
  readonly nextInMs: number | undefined;
};

/**
 * So long a stream that moved keeps away from the worker that it left, and is not moved so again:
 * one that fails at two workers fails at others, too. No pool may wait for longer before it moves
 * a stream, so within its time no stream moves twice.
 */
export const KEPT_AWAY_MS = 86_400_000;
/** The most streams that may be away: each takes a line of a ConfigMap. */
const MOST_AWAY = 1_000;
/** Of a pool, this part moves within the time of moveAfterSeconds, or one stream. */
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
    // Until a bad list can be read, the pins in it are unknown.
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

/** Of a worker that reports it now. */
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

/** What an assignment needs of it. */
export const toAssign = (elsewhere: Elsewhere | undefined) =>
  elsewhere && { ...elsewhere, due: elsewhere.due.map(({ stream }) => stream) };
