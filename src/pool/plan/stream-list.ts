// How is each stream of a pool, and where? From the answers of workers; for a worker that was
// not reached, from status.
import type { Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { ReportedState, StreamReport } from '../../api/reported-streams.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { DesiredState } from '../desired-state.ts';
import { absenceText, downAsNoted, downOf } from '../status/down.ts';
import { keptText } from '../status/events.ts';
import { shownMessages, withoutValues } from '../status/stream-health.ts';
import { hasConverged, isAtWork, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

export const listedStates = [
  'Failed',
  'Restarting',
  /** Its worker is down: it cannot run, for a reason that its pod names, or no longer runs. */
  'Down',
  /** No worker has the stream. */
  'Unassigned',
  /** Its worker has not confirmed the stream. */
  'Assigned',
  'Starting',
  'Stopping',
  /** Confirmed, but its worker does not report the state of the stream. */
  'Unknown',
  'Suspended',
  'Completed',
  'Running',
] as const satisfies readonly (ReportedState | 'Down' | 'Unassigned' | 'Assigned' | 'Unknown')[];

export type ListedStream = {
  readonly stream: string;
  readonly worker?: string;
  readonly state: (typeof listedStates)[number];
  readonly restarts?: number;
  readonly since?: string;
  /** Why it is in that state. */
  readonly message?: string;
  /** Of a stream that is Down: when another worker takes it over. */
  readonly takeover?: string;
};

/** In the order of the list. */
export function listStreams(
  world: PoolWorld,
  desired: DesiredState,
  now: number,
): readonly ListedStream[] {
  const assigned = new Map<string, ListedStream>();
  for (const worker of desired.workers)
    for (const stream of streamsAt(world, desired, worker, now))
      assigned.set(stream.stream, stream);
  const reasons = new Map(desired.unassigned.map(({ name, message }) => [name, message]));
  const kept = new Map(desired.assigned.kept.map((it) => [it.name, keptText(it)]));
  return desired.streams.map(({ name }) => {
    const message = reasons.get(name);
    const nowhere = { stream: name, ...(message !== undefined && { message }) };
    if (desired.completed.has(name)) return { stream: name, state: 'Completed' };
    const why = kept.get(name);
    const found = assigned.get(name);
    if (found !== undefined) return why === undefined ? found : { message: why, ...known(found) };
    return { ...nowhere, state: 'Unassigned' };
  });
}

/** A mistake in its entry is worth more than the reason why its state is not known. */
function known(stream: ListedStream): ListedStream {
  if (stream.state !== 'Unknown' && stream.state !== 'Assigned') return stream;
  const { message: _, ...rest } = stream;
  return rest;
}

function* streamsAt(
  world: PoolWorld,
  desired: DesiredState,
  worker: PoolWorker,
  now: number,
): Iterable<ListedStream> {
  const slice = desired.slices.get(worker.name);
  if (slice === undefined) return;
  for (const stream of slice.suspended ?? [])
    yield { stream, worker: worker.name, state: 'Suspended' };
  const down = downOf(world, desired, worker);
  const told = down === undefined ? toldBy(worker, world.pool.status) : undefined;
  const otherwise =
    down !== undefined
      ? downStream(downAsNoted(down, world.pool, worker.name, now))
      : !hasConverged(worker, slice)
        ? { state: 'Assigned' as const, message: unconfirmedText(worker, slice, desired) }
        : told === undefined
          ? { state: 'Unknown' as const, message: unknownText(worker) }
          : { state: 'Running' as const };
  const messages = shownMessages(slice, Object.entries(told ?? {}));
  for (const stream of slice.jobs) {
    const report = own(told, stream);
    const message = messages.get(stream);
    yield {
      ...{ stream, worker: worker.name },
      ...(report ?? otherwise),
      ...(message !== undefined && { message }),
    };
  }
}

const downStream = ({
  why,
  takeover,
}: ReturnType<typeof downAsNoted>): Pick<ListedStream, 'state' | 'message' | 'takeover'> => ({
  state: 'Down',
  message: why,
  takeover,
});

/** Why a worker has not confirmed its streams. */
function unconfirmedText(worker: PoolWorker, slice: Slice, { availability }: DesiredState): string {
  const { answer, pod, isProbed, isOutdated } = worker;
  if (!isAtWork(pod)) return absenceText(worker, availability);
  if (!isProbed)
    return isOutdated
      ? 'its pod has to be replaced: workers are not probed (spec.probe.type None)'
      : 'its pod is not Ready';
  if (answer === undefined) return 'its worker has not been probed yet';
  if (!answer.ok) return `its worker does not answer: ${answer.reason}`;
  const { version } = answer.report;
  return version < slice.version
    ? `its worker reports version ${version}, not yet ${slice.version}`
    : 'its worker reports other streams than those assigned to it';
}

/** Why nothing is known of the streams of a worker that has confirmed them. */
function unknownText({ answer, isProbed }: PoolWorker): string {
  if (!isProbed) return 'workers are not probed (spec.probe.type None)';
  if (answer?.ok !== true) return 'its worker does not answer';
  const { report } = answer;
  if (report.isFromStatus === true)
    return 'its worker was not reached from here, and status does not name every failing stream of it';
  if (report.ignored !== undefined) return `the report of its worker has ${report.ignored}`;
  return 'its worker does not report the states of its streams';
}

/** Undefined: it simply runs, or nothing is known of it. */
export function toldStream(
  worker: PoolWorker,
  slice: Slice,
  status: SwarmPoolStatus | undefined,
  stream: string,
): StreamReport | undefined {
  const told = own(toldBy(worker, status), stream);
  return told === undefined ? undefined : withoutValues(told, slice, stream);
}

/** Undefined: nothing is known of those that it does not name. */
function toldBy(
  { name, answer }: PoolWorker,
  status: SwarmPoolStatus | undefined,
): Readonly<Record<string, StreamReport>> | undefined {
  if (answer?.ok === true && answer.report.jobs !== undefined) return answer.report.streams;
  const count = status?.workers?.find((it) => it.name === name)?.failing;
  const failing = (status?.failing ?? []).filter(({ worker }) => worker === name);
  if (count !== failing.length) return undefined;
  return Object.fromEntries(
    failing.map(({ name: stream, worker: _, restarts = 0, ...rest }) => [
      stream,
      { restarts, ...rest },
    ]),
  );
}
