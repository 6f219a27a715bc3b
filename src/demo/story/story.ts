// The steps of the demo, in their order.
import { streamsOf } from '../cluster/sample.ts';
import { handoverSteps } from './handover.ts';
import { spreadSteps } from './spread.ts';
import type { StoryStep } from './step.ts';
import { weightSteps } from './weights.ts';

export function tellStory(): readonly StoryStep[] {
  const spread = spreadSteps(streamsOf('tv'));
  const streams = spread.at(-1)?.expected.streams ?? [];
  return [...spread, ...weightSteps(streams), ...handoverSteps(streamsOf('market'))];
}
