// What is the shortest story that still fails in the same way? Everything that is not needed for
// the failure is left out.

import type { GroupAction, GroupStory } from './group/story.ts';
import type { QueueAction, QueueStory } from './queue/story.ts';
import { type Result, run } from './run.ts';
import type { Action, AnyStory, Placed, PlacedFault, Story } from './story/story.ts';

const MOST_RUNS = 150;

export async function shrink(
  story: AnyStory,
  oracle: string,
  counts: (oracle: string) => boolean = () => true,
): Promise<{ readonly story: AnyStory; readonly result: Result }> {
  let best = story;
  let result = await run(story, counts);
  let runs = 0;
  for (let isShorter = true; isShorter && runs < MOST_RUNS; ) {
    isShorter = false;
    for (const candidate of shorter(best)) {
      runs += 1;
      if (runs > MOST_RUNS) break;
      const tried = await run(candidate, counts);
      if (tried.violation?.oracle !== oracle) continue;
      best = candidate;
      result = tried;
      isShorter = true;
      break;
    }
  }
  return { story: best, result };
}

/** The largest cuts come first. */
function* shorter(story: AnyStory): Generator<AnyStory> {
  const { faults } = story;
  if (faults.length > 1) for (const kept of faults) yield withFaults(story, [kept]);
  if (faults.length > 0) yield withFaults(story, []);
  // Apart for each kind: an action and its story belong together.
  if ('group' in story)
    for (const actions of fewer(story.actions)) yield { ...story, actions } satisfies GroupStory;
  else if ('queues' in story)
    for (const actions of fewer(story.actions)) yield { ...story, actions } satisfies QueueStory;
  else for (const actions of fewer(story.actions)) yield { ...story, actions } satisfies Story;
  for (let at = 0; at < faults.length; at += 1) yield withFaults(story, without(faults, at));
  if (story.hasStandby) yield { ...story, hasStandby: false };
  if ('group' in story) yield* smallerGroup(story);
  else if ('shape' in story) yield* smallerPool(story);
}

const withFaults = (story: AnyStory, faults: readonly PlacedFault[]): AnyStory => ({
  ...story,
  faults,
});

function* fewer<A extends Action | GroupAction | QueueAction>(
  actions: readonly Placed<A>[],
): Generator<readonly Placed<A>[]> {
  if (actions.length > 3)
    yield actions.filter((action, at) => !isOptional(action) || at < actions.length >> 1);
  for (let at = 0; at < actions.length; at += 1)
    if (isOptional(actions[at])) yield without(actions, at);
}

function* smallerPool(story: Story): Generator<Story> {
  const { shape } = story;
  if (shape.hasFiniteJobs === true) yield { ...story, shape: { ...shape, hasFiniteJobs: false } };
  if (shape.isOnce === true) yield { ...story, shape: { ...shape, isOnce: false } };
  if (shape.isOrdered === true) yield { ...story, shape: { ...shape, isOrdered: false } };
  if (shape.isSlow === true) yield { ...story, shape: { ...shape, isSlow: false } };
  if (shape.readsOnce === true) yield { ...story, shape: { ...shape, readsOnce: false } };
  if (shape.workers > 1) yield { ...story, shape: { ...shape, workers: shape.workers - 1 } };
  if (shape.streams > 1) yield { ...story, shape: { ...shape, streams: shape.streams - 1 } };
}

function* smallerGroup(story: GroupStory): Generator<GroupStory> {
  const { group } = story;
  if (group.members > 2) yield { ...story, group: { ...group, members: group.members - 1 } };
  if (group.size > 1) yield { ...story, group: { ...group, size: group.size - 1 } };
}

/** Without these actions the story could not end well. */
const isOptional = (action: Placed<Action | GroupAction | QueueAction> | undefined): boolean =>
  action !== undefined && action.mends !== true && !ENDINGS.has(action.do);

const ENDINGS: ReadonlySet<string> = new Set([
  'createPool',
  'createTarget',
  'createGroup',
  'createMembers',
  'resume',
  'restore',
]);

const without = <T>(list: readonly T[], at: number): readonly T[] =>
  list.filter((_, index) => index !== at);
