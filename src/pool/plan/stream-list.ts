// How is each stream of a pool, and where? From what workers answer; of a worker that was not
// reached, from what status says of it.
import type { Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import { redacted } from '../../api/redact.ts';
import type { StreamReport, StreamState } from '../../api/reported-streams.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { DesiredState } from '../desired-state.ts';
import { hasConverged, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

export const listedStates = [
  'Failed',
  'Restarting',
  /** No worker has it. */
  'Unassigned',
  /** Its worker has not confirmed it. */
  'Assigned',
  'Starting',
  'Stopping',
  /** Confirmed, but its worker does not tell how it is. */
  'Unknown',
  'Suspended',
  'Completed',
  'Running',
] as const satisfies readonly (StreamState | 'Unassigned' | 'Assigned' | 'Unknown')[];

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
  return desired.streams.map(({ name }) => {
    const message = reasons.get(name);
    const nowhere = { stream: name, ...(message !== undefined && { message }) };
    return assigned.get(name) ?? { ...nowhere, state: 'Unassigned' };
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
  for (const stream of slice.jobs)
    yield {
      ...{ stream, worker: worker.name, state: otherwise },
      ...withoutValues(own(told, stream), slice, stream),
    };
}

/** Undefined: it simply runs, or nothing is known of it. */
export const toldStream = (
  worker: PoolWorker,
  slice: Slice,
  status: SwarmPoolStatus | undefined,
  stream: string,
): StreamReport | undefined => withoutValues(own(toldBy(worker, status), stream), slice, stream);

function withoutValues(
  told: StreamReport | undefined,
  { parameters }: Slice,
  stream: string,
): StreamReport | undefined {
  if (told?.message === undefined) return told;
  const values = Object.values(own(parameters, stream) ?? {});
  return { ...told, message: redacted(told.message, values) };
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
