// What is kept of a story that ended badly?
import type { Story } from '../story/story.ts';

/** The story is as short as it could be made; `was` says what was wrong with it then. */
export type Regression = { readonly was: string; readonly story: Story };
