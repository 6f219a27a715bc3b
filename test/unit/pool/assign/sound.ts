// What is given to an assignment, and what holds of each that comes of it.
import { expect } from '@jest/globals';
import type { AssignInput, AssignStream } from '../../../../src/pool/assign/problem/problem.ts';
import type { AssignResult } from '../../../../src/pool/assign/result.ts';

export const stream = (
  name: string,
  weight = 0,
  more: Partial<AssignStream> = {},
): AssignStream => ({
  name,
  weight,
  priority: 0,
  ...more,
});

export function input(
  streams: readonly AssignStream[],
  workers: number,
  more: Partial<AssignInput> = {},
): AssignInput {
  return {
    streams,
    workers: Array.from({ length: workers }, (_, ordinal) => ({
      name: `w${ordinal}`,
      ordinal,
      isCordoned: false,
    })),
    previous: new Map(),
    capacity: 100,
    overcommit: false,
    rebalances: true,
    maxMoves: undefined,
    ...more,
  };
}

export const again = (given: AssignInput, result: AssignResult): AssignInput => ({
  ...given,
  previous: result.jobs,
});

export const lists = (result: AssignResult): readonly (readonly string[])[] => [
  ...result.jobs.values(),
];

export function loads(given: AssignInput, result: AssignResult): readonly number[] {
  const weights = new Map(given.streams.map(({ name, weight }) => [name, weight]));
  return lists(result).map((jobs) => jobs.reduce((sum, job) => sum + (weights.get(job) ?? 0), 0));
}

/** What holds for every result. */
export function expectSound(given: AssignInput, result: AssignResult): void {
  const assigned = lists(result).flat();
  const everyone = [...assigned, ...result.unassigned.map(({ name }) => name)];
  expect([...everyone].sort()).toEqual(given.streams.map(({ name }) => name).sort());
  const byName = new Map(given.streams.map((it) => [it.name, it]));
  lists(result).forEach((jobs, worker) => {
    const members = jobs.map((job) => byName.get(job) ?? stream(job));
    const load = members.reduce((sum, { weight }) => sum + weight, 0);
    if (!given.overcommit) expect(load).toBeLessThanOrEqual(given.capacity);
    if (!given.overcommit && members.some(({ weight }) => weight >= given.capacity))
      expect(members).toHaveLength(1);
    for (const { ordinal } of members) if (ordinal !== undefined) expect(ordinal).toBe(worker);
    if (given.workers[worker]?.isCordoned === true && given.maxMoves === undefined)
      expect(members).toEqual([]);
  });
}
