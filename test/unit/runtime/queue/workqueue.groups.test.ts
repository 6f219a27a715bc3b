// Does each group of keys leave capacity to the others?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { settle } from '../../../support/virtual-clock.ts';
import { setUp } from './workqueue-under-test.ts';

describe('keys of groups', () => {
  const groupOf = (key: string): string => key.slice(0, key.indexOf('/'));

  it('a group leaves capacity to others, however many and slow its keys are', async () => {
    const { queue, keys } = setUp({ byItself: false, concurrency: 8, groupOf });
    queue.start();
    for (let index = 0; index < 20; index += 1) queue.add(`a/${index}`);
    for (let index = 0; index < 20; index += 1) queue.add(`b/${index}`);
    queue.add('c/0');
    await settle();
    const begunOf = (group: string): number =>
      keys().filter((key) => groupOf(key) === group).length;
    expect([begunOf('a'), begunOf('b'), begunOf('c')]).toEqual([4, 2, 1]);
  });
});

it('over any history a free place goes to the allowed group whose first key waits longest', async () => {
  const groupOf = (key: string): string => key.slice(0, 1);
  const deed = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.stringMatching(/^[abcde][0-9]$/) }) },
    { weight: 2, arbitrary: fc.record({ finish: fc.nat(10) }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  );
  const property = fc.asyncProperty(
    fc.array(deed, { maxLength: 60 }),
    fc.integer({ min: 1, max: 6 }),
    async (deeds, concurrency) => {
      const { queue, begun, keys } = setUp({ byItself: false, concurrency, groupOf });
      queue.start();
      // The same, computed in the simplest way.
      const wanted: string[] = [];
      let waiting: string[] = [];
      let held: string[] = [];
      const take = (): void => {
        for (;;) {
          const free = concurrency - held.length;
          const of = (key: string): number =>
            held.filter((it) => groupOf(it) === groupOf(key)).length;
          const next = free > 0 ? waiting.find((key) => of(key) < free) : undefined;
          if (next === undefined) return;
          waiting = waiting.filter((key) => key !== next);
          held.push(next);
          wanted.push(next);
        }
      };
      for (const it of deeds) {
        if (it === 'clear') {
          queue.clear();
          waiting = [];
        } else if ('add' in it) {
          if (held.includes(it.add) || waiting.includes(it.add)) continue;
          queue.add(it.add);
          waiting.push(it.add);
        } else {
          const done = held[it.finish % Math.max(1, held.length)];
          begun.findLast(({ key }) => key === done)?.finish();
          held = held.filter((key) => key !== done);
        }
        take();
        await settle();
        expect(keys()).toEqual(wanted);
      }
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
