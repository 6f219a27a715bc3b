// How is each stream of a pool, and where? From the answers of workers; for a worker that was
// not reached, from status.
import type { Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { ReportedState, StreamReport } from '../../api/reported-streams.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { DesiredState } from '../desired-state.ts';
import { keptText } from '../status/events.ts';
import { shownMessages, withoutValues } from '../status/stream-health.ts';
import { hasConverged, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

export const listedStates = [
  'Failed',
  'Restarting',
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
] as const satisfies readonly (ReportedState | 'Unassigned' | 'Assigned' | 'Unknown')[];

export type ListedStream = {
  readonly stream: string;
  readonly worker?: string;
  readonly state: (typeof listedStates)[number];
  readonly restarts?: number;
  readonly since?: string;
  readonly message?: string;
};

/** In the order of the list. */
export function listStreams(world: PoolWorld, desired: DesiredState): readonly ListedStream[] {
  const assigned = new Map<string, ListedStream>();
  const { status } = world.pool;
  for (const worker of desired.workers)
    for (const stream of streamsAt(worker, desired, status)) assigned.set(stream.stream, stream);
  const reasons = new Map(desired.unassigned.map(({ name, message }) => [name, message]));
  const kept = new Map(desired.assigned.kept.map((it) => [it.name, keptText(it)]));
  return desired.streams.map(({ name }) => {
    const message = reasons.get(name);
    const nowhere = { stream: name, ...(message !== undefined && { message }) };
    if (desired.completed.has(name)) return { stream: name, state: 'Completed' };
    const why = kept.get(name);
    const found = assigned.get(name);
    if (found !== undefined) return why === undefined ? found : { message: why, ...found };
    return { ...nowhere, state: 'Unassigned' };
  });
}

function* streamsAt(
  worker: PoolWorker,
  { slices }: DesiredState,
  status: SwarmPoolStatus | undefined,
): Iterable<ListedStream> {
  const slice = slices.get(worker.name);
  if (slice === undefined) return;
  const told = toldBy(worker, status);
  const otherwise = !hasConverged(worker, slice)
    ? 'Assigned'
    : told === undefined
      ? 'Unknown'
      : 'Running';
  for (const stream of slice.suspended ?? [])
    yield { stream, worker: worker.name, state: 'Suspended' };
  const messages = shownMessages(slice, Object.entries(told ?? {}));
  for (const stream of slice.jobs) {
    const message = messages.get(stream);
    yield {
      ...{ stream, worker: worker.name, state: otherwise },
      ...own(told, stream),
      ...(message !== undefined && { message }),
    };
  }
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
