// What does a check find, and what does it look at?
import type { Past } from '../past.ts';
import type { Scene } from '../scene.ts';

export type Problem = {
  readonly oracle: string;
  /** Stays the same while it is the same problem. */
  readonly what: string;
  readonly message: string;
};

export type Moment = {
  readonly now: number;
  readonly scene: Scene;
  readonly past: Past;
  /** Nothing keeps its pods from becoming Ready soon. */
  readonly isWell: (name: string) => boolean;
};

export const problem = (oracle: string, what: string, message = what): Problem => ({
  oracle,
  what,
  message,
});
