// P1: how long does assignment take, from names and the lists of the assignment before, with one worker more?
import { assign } from '../src/core/pool/assign.ts';
import { type Measured, timed } from './measure.ts';

const SIZES = [
  { streams: 100_000, workers: 1_000, targetMs: 25 },
  { streams: 1_000_000, workers: 1_000, targetMs: 400 },
];

export function benchAssign(): readonly Measured[] {
  return SIZES.map(({ streams: count, workers: size, targetMs }) => {
    const streams = Array.from({ length: count }, (_, index) => `stream:${index}`);
    const workers = Array.from({ length: size + 1 }, (_, index) => `worker-${index}`);
    const before = assign({ streams, workers: workers.slice(0, size), previous: new Map() }).jobs;
    const floor = Math.floor(count / (size + 1));
    const { ms, result } = timed(7, () => assign({ streams, workers, previous: before }));
    const given = result.jobs.get(workers[size] ?? '')?.length ?? 0;
    const lengths = [...result.jobs.values()].map((jobs) => jobs.length);
    return {
      name: `P1 ${count.toLocaleString('en')} streams x ${size} workers, one more`,
      value: `${ms.toFixed(1)} ms`,
      target: `<= ${targetMs} ms`,
      isReached: ms <= targetMs && given === floor && Math.max(...lengths) - Math.min(...lengths) <= 1,
      note: `${given} moves (floor ${floor}), spread ${Math.max(...lengths) - Math.min(...lengths)}`,
    };
  });
}
