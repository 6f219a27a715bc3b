// Which stories about queues are run? Every fault at every call of every state; and any number of
// walks, each from a seed of its own.
import { Random } from '../random.ts';
import { withFaults } from '../story/plan.ts';
import { type QueueStateName, queueStoryOf } from './states.ts';
import type { QueueStory } from './story.ts';
import { queueWalk } from './walk.ts';

/** Without any fault; other times with another turn. */
export const plainQueueStory = (state: QueueStateName, turn: number, seed: number): QueueStory =>
  queueStoryOf(state, seed, new Random(seed).fork(`turn ${turn}`));

export function queueStoryFor(seed: number): QueueStory {
  const random = new Random(seed).fork('queues');
  const story = withFaults(queueWalk(seed, random), random, random.between(0, 3));
  return random.chance(0.2) ? withFrozenLeader(story, random) : story;
}

/** With a write under way, while another leads. */
function withFrozenLeader(story: QueueStory, random: Random): QueueStory {
  const frozen = { fault: 'F16', call: random.between(20, 90), side: 'before' } as const;
  return { ...story, hasStandby: true, faults: [...story.faults, frozen] };
}
