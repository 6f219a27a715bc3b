// What does the leader remember of a pool? A decision returns it, and the next world contains it.
import type { States } from '../core/state-ages.ts';

export type Remembered = {
  readonly ages: States;
  /** How long each worker has been there, or away. */
  readonly presence: States;
  /** Keys of seats whose workers failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
  /** By pod UID: the version in the worker's first answer. */
  readonly firstVersions: ReadonlyMap<string, number>;
};

/** A new leader starts with nothing: it waits rather than acts too soon. */
export const nothingRemembered: Remembered = {
  ages: new Map(),
  presence: new Map(),
  distrusted: [],
  firstVersions: new Map(),
};
