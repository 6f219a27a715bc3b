// Do facts flow one way? The world of a group follows from what caches answer, and changes nothing.
import { expect, it } from '@jest/globals';
import { observeGroup } from '../../../src/group/observe.ts';
import { Workloads } from '../../../src/runtime/store/workloads.ts';
import { groupWorld, settled } from '../../support/group-worlds.ts';

it('the world of a group is the same for the same caches', () => {
  const { group, remembered } = settled(groupWorld());
  const sources = {
    clock: { monotonic: () => 5_000 },
    workloads: new Workloads(),
    caches: {
      groupsOf: () => [],
      leaderOf: () => undefined,
      pools: { get: () => undefined },
    },
    times: { of: () => ({ replicasMs: 1, changedMs: 2 }) },
    metrics: { reading: () => ({ state: 'pending' }) as const },
    scales: { kinds: [], reading: () => ({ state: 'pending' }) as const },
  };
  const before = { remembered, refused: undefined };
  const observed = observeGroup(sources, 'swarm/shop', group, before);
  expect(observed).toMatchObject({ kind: 'SwarmGroup', group, monotonicMs: 5_000 });
  expect(observeGroup(sources, 'swarm/shop', group, before)).toEqual(observed);
});
