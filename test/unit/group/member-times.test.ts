// Are the times of a member those at which its changes arrived?
import { describe, expect, it } from '@jest/globals';
import { MemberTimesNoted } from '../../../src/group/observe/member-times.ts';

const arrived = (replicas: number, ready: number, uid = 'first') => ({
  uid,
  replicas,
  size: { generation: 1, observedGeneration: 1, present: ready, ready },
  isConverged: true,
});

describe('the times of a member', () => {
  it('the times of a member are those of its new replicas, and of its last change', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    times.take('a', arrived(3, 1), 100);
    times.take('a', arrived(3, 2), 200);
    times.take('a', arrived(3, 2), 300);
    expect(times.of('a', 900)).toEqual({ replicasMs: 100, changedMs: 200 });
    times.take('a', arrived(3, 3), 400);
    expect(times.of('a', 900)).toEqual({ replicasMs: 100, changedMs: 400 });
  });

  it('the times of a member begin again when another object has its name', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    times.take('a', arrived(1, 1, 'second'), 900);
    expect(times.of('a', 950)).toEqual({ replicasMs: 900, changedMs: 900 });
  });

  it('the times of a member are forgotten with the member', () => {
    const times = new MemberTimesNoted();
    times.take('a', arrived(1, 1), 0);
    times.take('a', undefined, 100);
    expect(times.of('a', 200)).toEqual({ replicasMs: 200, changedMs: 200 });
  });
});
