// What is one step of the story?

import type { Expected } from '../checks/verify.ts';
import type { Observation } from '../cluster/observation.ts';
import type { PoolName } from '../cluster/sample.ts';
import type { Stage } from '../stage.ts';

export type StoryStep = {
  readonly title: string;
  /** What there is to see in it. */
  readonly about: string;
  readonly pool: PoolName;
  /** Every stream of the list at exactly one of so many workers. */
  readonly expected: Expected;
  readonly act: (stage: Stage) => Promise<void>;
  /** What else must be true. */
  readonly also?: (scene: Scene) => Partial<Judgement> | Promise<Partial<Judgement>>;
};

export type Scene = {
  readonly stage: Stage;
  readonly now: Observation;
  /** Undefined: there was no pool yet. */
  readonly before: Observation | undefined;
  /** When the step began, by this machine's clock. */
  readonly askedAt: number;
};

export type Judgement = {
  /** What is not, or not yet, as it should be. */
  readonly problems: readonly string[];
  /** What was seen happening. */
  readonly seen: readonly string[];
  /** What was found to be true, and by what. */
  readonly verified: readonly string[];
};

export const nothingMore: Judgement = { problems: [], seen: [], verified: [] };
