// Are the times of a member those at which its changes arrived?
import { describe, expect, it } from '@jest/globals';
import { MemberTimesNoted } from '../../../src/group/observe/member-times.ts';

const arrived = (replicas: number, ready: number, generation = 1, uid = 'first') => ({
  uid,
  replicas,
  size: { generation, observedGeneration: generation, present: ready, ready },
  isConverged: true,
});

describe('the times of a member', () => {
  it('begin when its replicas change, and when all of them are ready', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    times.take('a', arrived(3, 1), 100);
    times.take('a', arrived(3, 2), 200);
    expect(times.of('a', arrived(3, 2), 900)).toEqual({ replicasMs: 100, settledMs: undefined });
    times.take('a', arrived(3, 3), 300);
    expect(times.of('a', arrived(3, 3), 900)).toEqual({ replicasMs: 100, settledMs: 300 });
  });

  it('begin again when it is ready no more, or is another object', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    times.take('a', arrived(1, 0), 50);
    times.take('a', arrived(1, 1), 100);
    expect(times.of('a', arrived(1, 1), 900)).toEqual({ replicasMs: 0, settledMs: 100 });
    expect(times.of('a', arrived(1, 1, 1, 'second'), 900)).toEqual({
      replicasMs: 900,
      settledMs: 900,
    });
  });

  it('do not begin by a status of before', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    const size = { generation: 2, observedGeneration: 1, present: 2, ready: 2 };
    times.take('a', { ...arrived(2, 2), size }, 100);
    expect(times.of('a', { ...arrived(2, 2), size }, 900).settledMs).toBeUndefined();
  });

  it('are forgotten with the member', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    times.take('a', undefined, 100);
    expect(times.of('a', arrived(1, 1), 200)).toEqual({ replicasMs: 200, settledMs: 200 });
  });
});
