// Do random stories about groups end well?
import { tries } from '../support/tries.ts';
import { groupStoryFor, plainGroupStory } from './group/plan.ts';
import { groupStateNames } from './group/states.ts';
import { groupModes } from './group/story.ts';
import { describeStories, seed } from './stories.ts';

describeStories({
  kind: 'groups',
  runs: tries(9),
  storyFor: groupStoryFor,
  plains: (random) =>
    groupStateNames.map((state) => plainGroupStory(state, random.pick(groupModes), seed)),
});
