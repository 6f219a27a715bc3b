// Were the workers that left emptied first, and the StatefulSet scaled only then?
import { type Handover, handoversOf, holdingsOf } from './holdings.ts';
import type { WorkerRecords } from './records.ts';

/** What the operator recorded as it scaled. */
export type Scaling = { readonly at: number; readonly note: string };

/** `ms`: since the scale-down was asked for. */
type Phase = { readonly ms: number; readonly what: string };

export type DrainInput = {
  readonly logs: readonly WorkerRecords[];
  readonly leaving: readonly string[];
  readonly askedAt: number;
  readonly scaling: Scaling | undefined;
};

export function drainOf({ logs, leaving, askedAt, scaling }: DrainInput): {
  readonly problems: readonly string[];
  readonly timeline: readonly Phase[];
} {
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
      : [`of ${leaving.length} workers that were to go, ${gone.length} have recorded anything`]),
    ...gone.flatMap(problemsOf),
    ...(scaling === undefined
      ? ['the operator has not recorded that it scaled the StatefulSet']
      : tooEarly(handovers, scaling)),
  ];
  const since = (at: number): number => at - askedAt;
  const timeline = [
    ...phase(
      handovers.map(({ from }) => since(from.until ?? 0)),
      `all that the workers to go ran has stopped there (${handovers.length})`,
    ),
    ...phase(
      handovers.map(({ to }) => since(to.from)),
      'all of it has started at workers that stay',
    ),
    ...(scaling === undefined
      ? []
      : [{ ms: since(scaling.at), what: `the operator: ${scaling.note}` }]),
    ...phase(ends.map(since), `${leaving.join(', ')} told to end, with nothing left to stop`),
  ];
  return { problems, timeline };
}

/** By the worker's own clock: all that it ran had ended before it was told to end. */
function problemsOf({ worker, pod, records }: WorkerRecords): readonly string[] {
  const end = records.findIndex(({ what }) => what === 'told to end');
  if (end < 0) return [`${worker} has not recorded that it was told to end`];
  const left = holdingsOf([{ worker, pod, records: records.slice(0, end) }]).filter(
    ({ until }) => until === undefined,
  );
  return left.map(({ stream }) => `${worker} still ran ${stream} when it was told to end`);
}

const tooEarly = (handovers: readonly Handover[], { at }: Scaling): readonly string[] =>
  handovers
    .filter(({ to }) => to.from > at)
    .map(
      ({ stream, to }) =>
        `${stream} started at ${to.worker} only ${to.from - at} ms after the StatefulSet was scaled`,
    );

/** It is over with the last. */
const phase = (times: readonly number[], what: string): readonly Phase[] =>
  times.length === 0 ? [] : [{ ms: Math.max(...times), what }];
