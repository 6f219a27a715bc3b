// Do random stories about pools end well?
import { tries } from '../support/tries.ts';
import { describeStories, seed } from './stories.ts';
import { plainStory, storyFor } from './story/plan.ts';
import { modes, stateNames } from './story/states.ts';

describeStories({
  kind: 'pools',
  runs: tries(35),
  storyFor,
  plains: (random) => stateNames.map((state) => plainStory(state, random.pick(modes), seed)),
});
