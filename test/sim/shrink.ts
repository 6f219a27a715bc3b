// What is the shortest story that still fails in the same way? Everything that is not needed for
// the failure is left out.
import { type Result, run } from './run.ts';
import type { Action, Placed, Story } from './story/story.ts';

const MOST_RUNS = 150;

export async function shrink(
  story: Story,
  oracle: string,
): Promise<{ readonly story: Story; readonly result: Result }> {
  let best = story;
  let result = await run(story);
  let runs = 0;
  for (let isShorter = true; isShorter && runs < MOST_RUNS; ) {
    isShorter = false;
    for (const candidate of shorter(best)) {
      runs += 1;
      if (runs > MOST_RUNS) break;
      const tried = await run(candidate);
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
function* shorter(story: Story): Generator<Story> {
  const { actions, faults, shape } = story;
  if (faults.length > 1) for (const kept of faults) yield { ...story, faults: [kept] };
  if (faults.length > 0) yield { ...story, faults: [] };
  if (actions.length > 3)
    yield {
      ...story,
      actions: actions.filter((action, at) => !isOptional(action) || at < actions.length >> 1),
    };
  for (let at = 0; at < faults.length; at += 1) yield { ...story, faults: without(faults, at) };
  for (let at = 0; at < actions.length; at += 1)
    if (isOptional(actions[at])) yield { ...story, actions: without(actions, at) };
  if (story.hasStandby) yield { ...story, hasStandby: false };
  if (shape.hasFiniteJobs === true) yield { ...story, shape: { ...shape, hasFiniteJobs: false } };
  if (shape.isOrdered === true) yield { ...story, shape: { ...shape, isOrdered: false } };
  if (shape.isSlow === true) yield { ...story, shape: { ...shape, isSlow: false } };
  if (shape.readsOnce === true) yield { ...story, shape: { ...shape, readsOnce: false } };
  if (shape.workers > 1) yield { ...story, shape: { ...shape, workers: shape.workers - 1 } };
  if (shape.streams > 1) yield { ...story, shape: { ...shape, streams: shape.streams - 1 } };
}

/** Without these actions the story could not end in a healthy pool. */
const isOptional = (action: Placed<Action> | undefined): boolean =>
  action !== undefined &&
  action.mends !== true &&
  !['createPool', 'createTarget', 'resume', 'restore'].includes(action.do);

const without = <T>(list: readonly T[], at: number): readonly T[] =>
  list.filter((_, index) => index !== at);
