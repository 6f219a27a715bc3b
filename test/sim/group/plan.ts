// Which stories about groups are run? As those about pools: every fault at every call of every
// state, and any number of others, each from a seed of its own.
import { Random } from '../random.ts';
import { withFaults } from '../story/plan.ts';
import { type GroupStateName, groupStateNames, groupStoryOf } from './states.ts';
import { type GroupMode, type GroupStory, groupModes } from './story.ts';
import { groupWalk, policyWalk } from './walk.ts';

/** Without any fault. */
export const plainGroupStory = (state: GroupStateName, mode: GroupMode, seed: number): GroupStory =>
  groupStoryOf(state, mode, seed, new Random(seed));

/** In turn, so that every mode occurs over the states, and other ones with another seed. */
export const groupModeInTurn = (state: GroupStateName, turn: number): GroupMode =>
  groupModes[(groupStateNames.indexOf(state) + turn) % groupModes.length] ?? 'Together';

/** One story for each seed. */
export function groupStoryFor(seed: number): GroupStory {
  const policies = new Random(seed).fork('policies');
  if (policies.chance(0.3))
    return withFaults(policyWalk(seed, policies), policies, policies.between(0, 2));
  const random = new Random(seed).fork('plan');
  if (random.chance(0.5)) return withFaults(groupWalk(seed, random), random, random.between(0, 3));
  const plain = groupStoryOf(random.pick(groupStateNames), random.pick(groupModes), seed, random);
  return withFaults(plain, random, random.chance(0.7) ? 1 : random.between(2, 3));
}
