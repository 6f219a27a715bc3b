// Is an assignment the best one where all can be tried, and sound where they cannot?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assign } from '../../../../src/pool/assign/assign.ts';
import type { AssignInput, AssignStream } from '../../../../src/pool/assign/problem/problem.ts';
import { tries } from '../../../support/tries.ts';
import { again, expectSound, input, loads, stream } from './sound.ts';

describe('every case of up to 7 streams, 3 workers and these weights', () => {
  const WEIGHTS = [20, 40, 60, 100];

  /**
   * All possible assignments: each stream on a worker or nowhere. A plain search, which shares no
   * code with what is tested.
   */
  function brute(
    weights: readonly number[],
    before: readonly number[],
    workers: number,
  ): { count: number; uneven: number; moved: number } {
    const order = weights.map((_, index) => index);
    const fits = (subset: readonly number[]): boolean => search(subset, () => true);
    const admitted: number[] = [];
    for (const index of order) if (fits([...admitted, index])) admitted.push(index);
    let best = { uneven: Number.POSITIVE_INFINITY, moved: Number.POSITIVE_INFINITY };
    search(admitted, (load, own, owner) => {
      const shared = load.filter((_, worker) => own[worker] !== true);
      const heaviest = Math.max(
        0,
        ...admitted.map((index) => weights[index] ?? 0).filter((weight) => weight < 100),
      );
      const uneven =
        shared.length === 0 ? 0 : Math.max(0, Math.max(...shared) - Math.min(...shared) - heaviest);
      const moved = admitted.reduce((sum, index) => {
        const old = before[index] ?? -1;
        return old >= 0 && old !== owner[index] ? sum + (weights[index] ?? 0) : sum;
      }, 0);
      if (uneven < best.uneven || (uneven === best.uneven && moved < best.moved))
        best = { uneven, moved };
      return false;
    });
    return { count: admitted.length, ...best };

    function search(
      subset: readonly number[],
      visit: (load: number[], own: boolean[], owner: number[]) => boolean,
    ): boolean {
      const load = Array.from({ length: workers }, () => 0);
      const own = Array.from({ length: workers }, () => false);
      const owner: number[] = [];
      const step = (depth: number): boolean => {
        const index = subset[depth];
        if (index === undefined) return visit(load, own, owner);
        const weight = weights[index] ?? 0;
        for (let worker = 0; worker < workers; worker += 1) {
          if (own[worker] === true || (load[worker] ?? 0) + weight > 100) continue;
          load[worker] = (load[worker] ?? 0) + weight;
          own[worker] = weight === 100;
          owner[index] = worker;
          if (step(depth + 1)) return true;
          load[worker] = (load[worker] ?? 0) - weight;
          own[worker] = false;
        }
        return false;
      };
      return step(0);
    }
  }

  function* multisets(length: number, from = 0): Generator<readonly number[]> {
    if (length === 0) yield [];
    else
      for (let at = from; at < WEIGHTS.length; at += 1)
        for (const rest of multisets(length - 1, at)) yield [WEIGHTS[at] ?? 0, ...rest];
  }

  /** A hash: other cases for each seed, and always the same ones. */
  const mix = (seed: number): number => {
    const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
    return (mixed ^ (mixed >>> 12)) >>> 0;
  };

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'an assignment of %i streams admits as many, and moves as little, as the best of all possible ones',
    (length) => {
      let cases = 0;
      for (const sorted of multisets(length)) {
        for (let variant = 0; variant < 5; variant += 1) {
          const workers = 1 + (mix(cases * 31 + variant) % 3);
          const weights = [...sorted].sort(
            (a, b) => (mix(a * 7 + variant) % 97) - (mix(b * 7 + variant) % 97),
          );
          const before = weights.map(
            (_, index) => (mix(cases * 131 + index * 17 + variant) % (workers + 2)) - 1,
          );
          const streams = weights.map((weight, index) => stream(`s${index}`, weight));
          const previous = new Map<string, string[]>();
          before.forEach((worker, index) => {
            if (worker >= 0)
              previous.set(`w${worker}`, [...(previous.get(`w${worker}`) ?? []), `s${index}`]);
          });
          const given = input(streams, workers, { previous });
          const result = assign(given);
          const want = brute(
            weights,
            before.map((worker) => (worker < workers ? worker : -1)),
            workers,
          );
          expectSound(given, result);
          const owner = new Map(
            [...result.jobs].flatMap(([name, jobs]) =>
              jobs.map((job) => [job, Number(name.slice(1))] as const),
            ),
          );
          const moved = streams.reduce((sum, { name, weight }, index) => {
            const old = before[index] ?? -1;
            return old >= 0 && old < workers && owner.has(name) && owner.get(name) !== old
              ? sum + weight
              : sum;
          }, 0);
          expect({ count: owner.size, moved }).toEqual({ count: want.count, moved: want.moved });
          expect(assign(again(given, result)).jobs).toEqual(result.jobs);
          cases += 1;
        }
      }
      expect(cases).toBeGreaterThan(0);
    },
  );
});

describe('any streams and workers', () => {
  const rows = fc.array(
    fc.record({
      weight: fc.constantFrom(0, 0, 0, 1, 5, 10, 25, 40, 60, 100),
      priority: fc.constantFrom(0, 0, 0, 1, -1),
      group: fc.constantFrom(undefined, undefined, 'g', 'h'),
      ordinal: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 9),
    }),
    { maxLength: 60 },
  );

  const toStreams = (
    list: readonly {
      weight: number;
      priority: number;
      group: string | undefined;
      ordinal: number | undefined;
    }[],
  ): readonly AssignStream[] =>
    list.map(({ weight, priority, group, ordinal }, index) => ({
      name: `s${index}`,
      weight,
      priority,
      ...(group !== undefined && { spreadGroup: group }),
      ...(ordinal !== undefined && { ordinal }),
    }));

  it('no stream is lost or doubled and no worker overloaded while workers come and go, and the result is at rest', () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.boolean(),
        (list, sizes, overcommit, rebalances) => {
          const streams = toStreams(list);
          let previous: AssignInput['previous'] = new Map();
          for (const size of sizes) {
            const base = input(streams, size, { previous, overcommit, rebalances });
            const given = {
              ...base,
              workers: base.workers.map((worker) => ({
                ...worker,
                isCordoned: worker.ordinal === 3 && size > 5,
              })),
            };
            const result = assign(given);
            expectSound(given, result);
            expect(assign(again(given, result))).toEqual({ ...result, jobs: result.jobs });
            previous = result.jobs;
          }
        },
      ),
      { numRuns: tries(130) },
    );
  });

  it('without pins, loads of shared workers differ by at most the largest shared weight', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(1, 3, 7, 10, 20), { maxLength: 80 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (weights, first, second) => {
          const streams = weights.map((weight, index) => stream(`s${index}`, weight));
          const start = input(streams, first, { capacity: 10_000 });
          const given = input(streams, second, { capacity: 10_000, previous: assign(start).jobs });
          for (const each of [start, given]) {
            const carried = loads(each, assign(each));
            expect(Math.max(...carried) - Math.min(...carried)).toBeLessThanOrEqual(
              Math.max(0, ...weights),
            );
          }
        },
      ),
      { numRuns: tries(100) },
    );
  });
});
