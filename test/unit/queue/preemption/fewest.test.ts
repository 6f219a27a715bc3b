// Which jobs have to end so that what is lacking is free?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fewest } from '../../../../src/queue/preemption/fewest.ts';

type Job = { readonly name: string; readonly holds: ReadonlyMap<string, bigint> };
const job = (name: string, holds: Readonly<Record<string, number>>): Job => ({
  name,
  holds: amounts(holds),
});
const amounts = (of: Readonly<Record<string, number>>): ReadonlyMap<string, bigint> =>
  new Map(
    Object.entries(of).flatMap(([key, amount]) => (amount > 0 ? [[key, BigInt(amount)]] : [])),
  );
const names = (jobs: readonly Job[] | undefined): string | undefined =>
  jobs?.map(({ name }) => name).join(' ');
const holds = (jobs: readonly Job[], key: string): number =>
  jobs.reduce((sum, it) => sum + Number(it.holds.get(key) ?? 0n), 0);

describe('the jobs that have to end', () => {
  const ones = ['a', 'b', 'c'].map((name) => job(name, { pods: 1 }));

  it.each<[string, readonly Job[], Readonly<Record<string, number>>, string | undefined]>([
    ['of as many the first ones', ones, { pods: 2 }, 'a b'],
    ['one large one instead of two small ones', [...ones, job('d', { pods: 4 })], { pods: 2 }, 'd'],
    [
      'of two large ones the first',
      [...ones, job('d', { pods: 3 }), job('e', { pods: 4 })],
      { pods: 3 },
      'd',
    ],
    ['none that holds nothing of it', [job('z', { cpu: 9 }), ...ones], { pods: 1 }, 'a'],
    ['some for each resource', [...ones, job('g', { gpu: 1 })], { pods: 1, gpu: 1 }, 'a g'],
    ['one that holds both', [...ones, job('h', { pods: 1, gpu: 1 })], { pods: 1, gpu: 1 }, 'h'],
    ['no job if all are not enough', ones, { pods: 4 }, undefined],
    ['no job if one resource is held by none', ones, { pods: 1, gpu: 1 }, undefined],
  ])('%s', (_, jobs, lacking, wanted) => {
    expect(names(fewest(jobs, amounts(lacking)))).toBe(wanted);
  });

  const sizes = fc.array(fc.record({ pods: fc.nat(4), gpu: fc.nat(2) }), { maxLength: 8 });
  const jobsOf = (all: readonly { readonly pods: number; readonly gpu: number }[]) =>
    all.map((it, at) => job(`j${at}`, it));

  it('the fewest jobs end for one resource', () => {
    const least = (all: readonly number[], lack: number): number | undefined => {
      const largest = [...all].sort((a, b) => b - a);
      const sumOf = (count: number) => largest.slice(0, count).reduce((sum, it) => sum + it, 0);
      const at = largest.findIndex((_, index) => sumOf(index + 1) >= lack);
      return at < 0 ? undefined : at + 1;
    };
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 12 }), (all, pods) => {
        const found = fewest(jobsOf(all), amounts({ pods }));
        expect(found?.length).toBe(
          least(
            all.map((it) => it.pods),
            pods,
          ),
        );
      }),
    );
  });

  it('the jobs that end for two resources are enough, and each is needed', () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 9 }), fc.nat(4), (all, pods, gpu) => {
        const jobs = jobsOf(all);
        const lacks = { pods, gpu };
        const isEnough = (some: readonly Job[]): boolean =>
          holds(some, 'pods') >= pods && holds(some, 'gpu') >= gpu;
        const found = fewest(jobs, amounts(lacks));
        expect(found !== undefined).toBe(isEnough(jobs));
        if (found === undefined) return;
        expect(isEnough(found)).toBe(true);
        for (const it of found) expect(isEnough(found.filter((other) => other !== it))).toBe(false);
      }),
    );
  });
});
