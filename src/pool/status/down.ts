// Which workers are down with their streams, why, and when do other workers take over?
import { hasJobs } from '../../api/assignment.ts';
import { timeText } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { type Takeover, takeoverOf, takeoverText } from '../workers/takeover.ts';
import { isAtWork, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

type Down = {
  /** The number of streams that do not run. */
  readonly streams: number;
  readonly why: string;
  /** Kubernetes reports a cause, so the worker does not just restart. */
  readonly hasCause: boolean;
  readonly takeover: Takeover;
};

/** Undefined: the worker runs, has no streams to run, or is starting for the first time. */
export function downOf(
  { published }: Pick<PoolWorld, 'published'>,
  { spec, slices, availability, isPaused }: DesiredState,
  worker: PoolWorker,
): Down | undefined {
  const { name, from, before, isDesired, pod } = worker;
  const streams = slices.get(name)?.jobs.length ?? 0;
  if (!isDesired || streams === 0 || isAtWork(pod)) return undefined;
  const hasBegun = hasJobs(before) && !published.neverReady.has(from);
  const hasCause = causeOf(worker, availability) !== undefined;
  if (!hasBegun && !hasCause) return undefined;
  return {
    streams,
    why: absenceText(worker, availability),
    hasCause,
    takeover: takeoverOf(worker, availability, spec, isPaused),
  };
}

type DownWorker = Omit<Down, 'takeover'> & {
  readonly name: string;
  /** The rule of the takeover. */
  readonly takeover: string;
  readonly takeoverTime?: string;
};

/** All workers that are down, as shown to users. */
export function downWorkers(
  world: Pick<PoolWorld, 'pool' | 'published'>,
  desired: DesiredState,
  now: number,
): readonly DownWorker[] {
  const times = takeoverTimes(world, desired, now);
  return desired.workers.flatMap((worker) => {
    const down = downOf(world, desired, worker);
    if (down === undefined) return [];
    const { name } = worker;
    const time = times.get(name);
    return [
      {
        ...{ name, ...down, takeover: takeoverText(down.takeover) },
        ...(time !== undefined && { takeoverTime: time }),
      },
    ];
  });
}

/** The streams of all workers that are down. */
export const streamsDown = (world: Pick<PoolWorld, 'published'>, desired: DesiredState): number =>
  desired.workers.reduce((sum, worker) => sum + (downOf(world, desired, worker)?.streams ?? 0), 0);

/** Why its pod is not Ready, or could not be created. Undefined: Kubernetes reports no cause. */
export function causeOf(
  { pod, key }: Pick<PoolWorker, 'pod' | 'key'>,
  { notCreated }: Pick<DesiredState['availability'], 'notCreated'>,
): string | undefined {
  if (pod === undefined) return notCreated[key];
  const { trouble, troubleDetail } = pod;
  return troubleDetail === undefined ? trouble : `${trouble}: ${troubleDetail}`;
}

/** The state of its pod, which does not work. */
export function absenceText(
  worker: PoolWorker,
  availability: Pick<DesiredState['availability'], 'notCreated'>,
): string {
  const { pod, hasJoined } = worker;
  const cause = causeOf(worker, availability);
  const why = cause === undefined ? '' : ` (${cause})`;
  if (pod === undefined)
    return `${hasJoined ? 'it has no pod' : 'its pod does not exist yet'}${why}`;
  if (pod.hasEnded) return 'its pod has ended';
  return `its pod is ${pod.isTerminating ? 'terminating' : 'not Ready'}${why}`;
}

/** The clocks that measure the wait and write the time may differ by this much. */
const SAME_TIME_MS = 5_000;

/**
 * By worker that is down: when others take over. A written time stays unless another one applies,
 * for example after a change of leaders; a time in the past is not written again and again.
 */
export function takeoverTimes(
  world: Pick<PoolWorld, 'pool' | 'published'>,
  desired: DesiredState,
  now: number,
): ReadonlyMap<string, string> {
  const noted = new Map(
    world.pool.status?.workers?.map(({ name, takeoverTime: time }) => [name, time]),
  );
  return new Map(
    desired.workers.flatMap((worker) => {
      const takeover = downOf(world, desired, worker)?.takeover;
      if (takeover?.when !== 'After') return [];
      return [[worker.name, timeOf(takeover.leftMs, noted.get(worker.name), now)] as const];
    }),
  );
}

function timeOf(leftMs: number, noted: string | undefined, now: number): string {
  const at = now + leftMs;
  const before = Date.parse(noted ?? '');
  const isKept = before <= now || Math.abs(before - at) <= SAME_TIME_MS;
  return noted !== undefined && isKept ? noted : timeText(at);
}

/**
 * Adds facts that only the leader knows and writes to the status: how long a worker has been away,
 * and why its pod could not be created.
 */
export function downAsNoted(
  { why, takeover }: Down,
  { status }: PoolWorld['pool'],
  worker: string,
  now: number,
): { readonly why: string; readonly takeover: string } {
  const noted = status?.workers?.find(({ name }) => name === worker);
  const { takeoverTime, message = '' } = noted ?? {};
  const rule = `; ${takeoverText(takeover)}`;
  const notedWhy = message.endsWith(rule) ? message.slice(0, -rule.length) : message;
  const leftMs = Date.parse(takeoverTime ?? '') - now;
  return {
    why: notedWhy.startsWith(`${why} (`) ? notedWhy : why,
    takeover: takeoverText(takeover, leftMs > 0 ? leftMs : undefined),
  };
}
