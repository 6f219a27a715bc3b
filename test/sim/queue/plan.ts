// Which stories about queues are run? One for each seed: a walk, with faults or without.
import { Random } from '../random.ts';
import { withFaults } from '../story/plan.ts';
import type { QueueStory } from './story.ts';
import { queueWalk } from './walk.ts';

export function queueStoryFor(seed: number): QueueStory {
  const random = new Random(seed).fork('queues');
  return withFaults(queueWalk(seed, random), random, random.between(0, 3));
}
