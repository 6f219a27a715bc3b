// The steps of the demo, in their order.
import { type PoolName, streamsOf } from '../cluster/sample.ts';
import { handoverSteps } from './handover.ts';
import { spreadSteps } from './spread.ts';
import type { PoolStep, StoryStep } from './step.ts';
import { weightSteps } from './weights.ts';

export function tellStory(): readonly PoolStep[] {
  const spread = spreadSteps(streamsOf('tv'));
  const streams = spread.at(-1)?.expected.streams ?? [];
  return [
    ...atPool('tv', [...spread, ...weightSteps(streams)]),
    ...atPool('market', handoverSteps(streamsOf('market'))),
  ];
}

const atPool = (pool: PoolName, steps: readonly StoryStep[]): readonly PoolStep[] =>
  steps.map((step) => ({ ...step, pool }));
