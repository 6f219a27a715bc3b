// What is kept of a story that failed?
import type { AnyStory } from '../story/story.ts';

/** The shortest story that failed; `was` says what was wrong with it then. */
export type Regression = { readonly was: string; readonly story: AnyStory };
