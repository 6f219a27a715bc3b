// One step of the story.
import type { Expected } from '../checks/verify.ts';
import type { Observation } from '../cluster/observation.ts';
import type { PoolName } from '../cluster/sample.ts';
import type { Stage } from '../stage.ts';

export type StoryStep = {
  readonly title: string;
  /** What to watch for. */
  readonly about: string;
  /** Each of these streams at exactly one of this many workers. */
  readonly expected: Expected;
  readonly act: (stage: Stage) => Promise<void>;
  /** Checks that only this step has. */
  readonly also?: (scene: Scene) => Partial<Judgement> | Promise<Partial<Judgement>>;
};

export type PoolStep = StoryStep & { readonly pool: PoolName };

export type Scene = {
  readonly stage: Stage;
  readonly now: Observation;
  /** The observation before the step. Undefined: there was no pool yet. */
  readonly before: Observation | undefined;
  /** When the step began, by this machine's clock. */
  readonly askedAt: number;
};

export type Judgement = {
  /** What is wrong, or not done yet. */
  readonly problems: readonly string[];
  /** What happened. */
  readonly seen: readonly string[];
  /** What was verified, and by which evidence. */
  readonly verified: readonly string[];
};

export const nothingMore: Judgement = { problems: [], seen: [], verified: [] };
