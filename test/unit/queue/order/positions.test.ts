// Which place has each waiting job in its queue, and who counts before it?
import { describe, expect, it } from '@jest/globals';
import { admit } from '../../../../src/queue/admit.ts';
import { positionsOf } from '../../../../src/queue/order/positions.ts';
import type { Queue, WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';

const running = { uid: 'z', name: 'z', queue: 'batch', requests: amounts({ pods: 4 }) };

/** "a -, b 1": of jobs that wait for a queue of four pods, all of which are in use. */
function told(waiting: readonly WaitingJob[], over: Partial<Queue> = {}): string {
  const facts = worldOf([queueOf({ pods: 4 }, over)], waiting, { admitted: [running] });
  const pass = admit(facts);
  const positions = positionsOf(pass.order, pass.waiting);
  return pass.order.map(({ uid }) => `${uid} ${positions.get(uid) ?? '-'}`).join(', ');
}

describe('positions in a queue', () => {
  it.each<[string, WaitingJob]>([
    ['is larger than the quota', jobOf('a', 5)],
    ['requests what the quota does not offer', jobOf('a', 1, { gpu: 1 })],
    ['has a priority that the queue does not allow', jobOf('a', 1, {}, { priority: 101 })],
    [
      'lacks a field',
      jobOf('a', 1, {}, { missing: [{ quota: 'all', field: 'x', containers: ['main'] }] }),
    ],
  ])('a job that %s has none, and does not count before others', (_, never) => {
    const waiting = [never, jobOf('b', 2), jobOf('c', 1)];
    expect(told(waiting)).toBe('a -, b 1, c 2');
    expect(told(waiting, { strategy: 'StrictFIFO' })).toBe('a -, b 1, c 2');
  });

  it('a job that backs off, or whose queue is paused or missing, keeps its place', () => {
    const waiting = [jobOf('a', 2, {}, { backsOffForMs: 1000 }), jobOf('b', 2)];
    expect(told(waiting)).toBe('a 1, b 2');
    expect(told(waiting, { isPaused: true })).toBe('a 1, b 2');
    expect(told(waiting, { name: 'other' })).toBe('a 1, b 2');
  });
});
