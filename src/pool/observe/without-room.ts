// What is the world of a pool that the operator has no memory for? Nothing of it was read.
import { publishedNow } from '../publish/published.ts';
import type { PoolWorld } from '../world.ts';

export const worldWithoutRoom = (
  facts: Pick<PoolWorld, 'pool' | 'targets' | 'refused' | 'remembered' | 'monotonicMs'> & {
    readonly excess: string;
  },
): PoolWorld => ({
  kind: 'SwarmPool',
  lookalikes: [],
  rival: undefined,
  predecessor: undefined,
  autoscaler: undefined,
  creationFailures: new Map(),
  pods: [],
  formerPods: [],
  endingPods: [],
  published: publishedNow([]),
  highestSeen: 0,
  lists: [],
  answers: {},
  ages: {
    publishedMs: 0,
    sliceMs: {},
    unconfirmedMs: {},
    annotatedMs: {},
    answersMs: 0,
    statusLagMs: 0,
    statusMs: 0,
  },
  unprobed: new Set(),
  ...facts,
});
