// Which streams have failed at their worker for so long that they move to another one, and which
// moved so before? (streamPolicy.moveAfterSeconds)
import { own } from '../api/objects.ts';
import { isFailing } from '../api/reported-streams.ts';
import { listed, plural } from '../core/text.ts';
import type { Validated } from './preconditions.ts';
import type { Move } from './publish/publication.ts';
import type { PoolEvent } from './reasons.ts';
import { isAtWork, type PoolWorker } from './workers/workers.ts';
import type { PoolWorld } from './world.ts';

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
/** So many streams are away at most: each takes a line of a ConfigMap. */
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

/** Of a worker that tells so now. */
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

/** Streams that leave their worker with this publication because they fail there. */
export const leavingNow = (
  moves: readonly Move[],
  movedFrom: ReadonlyMap<string, string>,
  elsewhere: Elsewhere | undefined,
): readonly Move[] =>
  movedFrom.size === 0
    ? []
    : moves.filter(
        ({ stream, from }) =>
          from !== undefined &&
          movedFrom.get(stream) === from &&
          elsewhere?.away.get(stream) !== from,
      );

const NAMED = 3;

export function movedEvent(leaving: readonly Move[], afterSeconds: number): PoolEvent | undefined {
  if (leaving.length === 0) return undefined;
  const names = leaving.map(({ stream, from, to }) => `${stream} from ${from} to ${to}`);
  const [each, move] = leaving.length === 1 ? ['it', 'moves'] : ['each', 'move'];
  const message =
    `${plural(leaving.length, 'stream')} ${move} to another worker (${listed(names, NAMED)}): ${each} failed at its worker ` +
    `for ${afterSeconds} s (streamPolicy.moveAfterSeconds)`;
  return { type: 'Warning', reason: 'FailingStreamsMoved', action: 'Publish', message };
}
