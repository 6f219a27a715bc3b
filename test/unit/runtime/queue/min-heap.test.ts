// Does it give the lowest first, whatever comes and goes?
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MinHeap } from '../../../../src/runtime/queue/min-heap.ts';

it('its first is the lowest, after any additions and removals', () => {
  const change = fc.option(fc.integer({ min: 0, max: 20 }), { freq: 3 });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
      const heap = new MinHeap<number>((item) => item);
      const all: number[] = [];
      for (const added of changes) {
        if (added === null) {
          heap.take();
          all.shift();
        } else {
          heap.add(added);
          all.push(added);
        }
        all.sort((a, b) => a - b);
        expect(heap.first).toBe(all[0]);
      }
      heap.clear();
      expect(heap.first).toBeUndefined();
    }),
  );
});
