// Were leaving workers emptied before the operator scaled the StatefulSet?
import { type Handover, handoversOf, holdingsOf } from './holdings.ts';
import type { WorkerRecords } from './records.ts';

/** The operator's event. */
export type Scaling = { readonly at: number; readonly note: string };

export type DrainInput = {
  readonly logs: readonly WorkerRecords[];
  readonly leaving: readonly string[];
  readonly askedAt: number;
  readonly scaling: Scaling | undefined;
};

/** The timeline's `ms` count from the time at which the scale-down was asked for. */
export function drainOf({ logs, leaving, askedAt, scaling }: DrainInput) {
  const gone = logs.filter(({ worker }) => leaving.includes(worker));
  const handovers = handoversOf(holdingsOf(logs)).filter(
    ({ from, to }) => leaving.includes(from.worker) && !leaving.includes(to.worker),
  );
  const ends = gone.flatMap(({ records }) =>
    records.filter(({ what }) => what === 'told to end').map(({ at }) => at),
  );
  const problems = [
    ...(gone.length === leaving.length
      ? []
      : [`only ${gone.length} of ${leaving.length} leaving workers have logged records`]),
    ...gone.flatMap(problemsOf),
    ...(scaling === undefined
      ? ['the operator has no event that it scaled the StatefulSet']
      : tooEarly(handovers, scaling)),
  ];
  const stops = handovers.map(({ from }) => from.until ?? 0);
  const starts = handovers.map(({ to }) => to.from);
  const phases: readonly (readonly [times: readonly number[], what: string])[] = [
    [stops, `the leaving workers have stopped all of their feeds (${stops.length})`],
    [starts, 'the remaining workers have started all of them'],
    [scaling === undefined ? [] : [scaling.at], `the operator: ${scaling?.note}`],
    [ends, `${leaving.join(', ')} get SIGTERM, with no feed left to stop`],
  ];
  // A phase is over with its last event.
  const timeline = phases
    .filter(([times]) => times.length > 0)
    .map(([times, what]) => ({ ms: Math.max(...times) - askedAt, what }));
  return { problems, timeline };
}

/** By the worker's own clock: all that it ran had ended before it was told to end. */
function problemsOf({ worker, pod, records }: WorkerRecords): readonly string[] {
  const end = records.findIndex(({ what }) => what === 'told to end');
  if (end < 0) return [`${worker} has not logged a SIGTERM`];
  const left = holdingsOf([{ worker, pod, records: records.slice(0, end) }]).filter(
    ({ until }) => until === undefined,
  );
  return left.map(({ stream }) => `${worker} was still running ${stream} when it got SIGTERM`);
}

const tooEarly = (handovers: readonly Handover[], { at }: Scaling): readonly string[] =>
  handovers
    .map(({ to }) => to)
    .filter(({ from }) => from > at)
    .map(
      ({ stream, worker, from }) =>
        `${stream} started on ${worker} ${from - at} ms after the StatefulSet was scaled, not before`,
    );
