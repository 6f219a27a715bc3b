// P1, P2: how long does an assignment take when a worker is added, from nothing and from the second
// one of a process on?

import { runToEnd } from '../src/core/work.ts';
import { assign, assignInTurns } from '../src/pool/assign/assign.ts';
import type { AssignInput } from '../src/pool/assign/problem/problem.ts';
import { franzGo } from './instruments/franz-go.ts';
import { type Measured, timed } from './instruments/measure.ts';

const SIZES = [
  { streams: 100_000, workers: 1_000, targetMs: 25 },
  { streams: 1_000_000, workers: 1_000, targetMs: 400 },
];
const CAPACITY = 1_000_000;
const HEAVIEST = 100;

/** Copies, as in real life: the spec and the ConfigMap share no string objects. */
const copied = (
  lists: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...lists].map(([worker, jobs]) => [worker, jobs.map((job) => Buffer.from(job).toString())]),
  );

function inputOf(
  streams: number,
  workers: number,
  weightOf: (index: number) => number,
): AssignInput {
  return {
    streams: Array.from({ length: streams }, (_, index) => ({
      name: `stream:${index}`,
      weight: weightOf(index),
      priority: 0,
    })),
    workers: Array.from({ length: workers }, (_, ordinal) => ({
      name: `worker-${ordinal}`,
      ordinal,
      isCordoned: false,
    })),
    previous: new Map(),
    capacity: CAPACITY,
    overcommit: false,
    rebalances: true,
    maxMoves: undefined,
  };
}

type Cost = {
  /** The list, and what workers have, are new objects: as in a process that has just started. */
  readonly fromNothingMs: number;
  /** As from the second decision on. */
  readonly ms: number;
  readonly moved: number;
  readonly spread: number;
  readonly isWhole: boolean;
};

function oneWorkerMore(
  streams: number,
  workers: number,
  weightOf: (index: number) => number,
): Cost {
  const input = inputOf(streams, workers + 1, weightOf);
  const last = runToEnd(assignInTurns({ ...input, workers: input.workers.slice(0, workers) }));
  const { jobs } = last.result;
  // The first runs of a process are slower, until V8 has compiled the code.
  const runs = runsFor(streams);
  const previous = copied(jobs);
  const { ms: fromNothingMs } = timed(runs, () =>
    assign({ ...input, streams: [...input.streams], previous }),
  );
  const { ms, result } = timed(runs, () => assign({ ...input, previous: jobs }, last));
  const lengths = [...result.jobs.values()].map(({ length }) => length);
  return {
    fromNothingMs,
    ms,
    moved: result.jobs.get(`worker-${workers}`)?.length ?? 0,
    spread: Math.max(...lengths) - Math.min(...lengths),
    isWhole: result.unassigned.length === 0,
  };
}

const runsFor = (streams: number): number => (streams < 1_000_000 ? 31 : 7);

export function benchAssign(beside: string): readonly Measured[] {
  return SIZES.flatMap(({ streams, workers, targetMs }) => {
    const size = `${streams.toLocaleString('en')} streams x ${workers} workers, one more`;
    const light = oneWorkerMore(streams, workers, () => 0);
    const other = beside === 'franz-go' ? franzGo(streams, workers, runsFor(streams)) : undefined;
    const heavy = oneWorkerMore(streams, workers, (index) => 1 + ((index * 7919) % HEAVIEST));
    const floor = Math.floor(streams / (workers + 1));
    const isRight = light.moved === floor && light.spread <= 1;
    const most = other?.ms ?? targetMs;
    const mostFromNothing = other === undefined ? targetMs : 2 * other.ms;
    const ratio = heavy.ms / light.ms;
    return [
      {
        name: `P1 ${size}, from the second decision of a process`,
        value: `${light.ms.toFixed(1)} ms`,
        target: `<= ${most.toFixed(1)} ms`,
        isReached: light.ms <= most && isRight,
        note: `${light.moved} moves (floor ${floor}), spread ${light.spread}`,
      },
      {
        name: `P1 the same, from nothing`,
        value: `${light.fromNothingMs.toFixed(1)} ms`,
        target: `<= ${mostFromNothing.toFixed(1)} ms`,
        isReached: light.fromNothingMs <= mostFromNothing,
      },
      ...(other === undefined
        ? []
        : [
            {
              name: `P1 the same, franz-go's sticky balancer`,
              value: `${other.ms.toFixed(1)} ms`,
              note: `${other.moved} moves; partitions are integers`,
            },
          ]),
      {
        name: `P2 the same with weights`,
        value: `${heavy.ms.toFixed(1)} ms; from nothing ${heavy.fromNothingMs.toFixed(1)} ms`,
        target: '<= 3 x P1 from nothing',
        isReached: heavy.fromNothingMs <= 3 * light.fromNothingMs && heavy.isWhole,
        note: `${(heavy.fromNothingMs / light.fromNothingMs).toFixed(1)} x; ${ratio.toFixed(1)} x from the second decision; ${heavy.moved} moves`,
      },
    ];
  });
}
