// P1, P2: how long does an assignment take, from names and the previous assignment, when a worker
// is added?
import { assign } from '../src/pool/assign/assign.ts';
import type { AssignInput } from '../src/pool/assign/problem/problem.ts';
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

function oneWorkerMore(
  streams: number,
  workers: number,
  weightOf: (index: number) => number,
): { input: AssignInput; ms: number; given: number; result: ReturnType<typeof assign> } {
  const input = inputOf(streams, workers + 1, weightOf);
  const previous = copied(assign({ ...input, workers: input.workers.slice(0, workers) }).jobs);
  // The first runs of a process are slower, until V8 has compiled the code.
  const { ms, result } = timed(streams < 1_000_000 ? 31 : 7, () => assign({ ...input, previous }));
  return { input, ms, result, given: result.jobs.get(`worker-${workers}`)?.length ?? 0 };
}

export function benchAssign(): readonly Measured[] {
  return SIZES.flatMap(({ streams, workers, targetMs }) => {
    const size = `${streams.toLocaleString('en')} streams x ${workers} workers, one more`;
    const light = oneWorkerMore(streams, workers, () => 0);
    const heavy = oneWorkerMore(streams, workers, (index) => 1 + ((index * 7919) % HEAVIEST));
    const floor = Math.floor(streams / (workers + 1));
    const lengths = [...light.result.jobs.values()].map((jobs) => jobs.length);
    const spread = Math.max(...lengths) - Math.min(...lengths);
    const ratio = heavy.ms / light.ms;
    return [
      {
        name: `P1 ${size}`,
        value: `${light.ms.toFixed(1)} ms`,
        target: `<= ${targetMs} ms`,
        isReached: light.ms <= targetMs && light.given === floor && spread <= 1,
        note: `${light.given} moves (floor ${floor}), spread ${spread}`,
      },
      {
        name: `P2 the same with weights`,
        value: `${heavy.ms.toFixed(1)} ms`,
        target: '<= 3 x P1',
        isReached: ratio <= 3 && heavy.result.unassigned.length === 0,
        note: `${ratio.toFixed(1)} x; ${heavy.given} moves`,
      },
    ];
  });
}
