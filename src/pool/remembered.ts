// What does the leader remember of a pool? It goes into a world as a fact, and comes out of the
// decision as a value.
import type { States } from '../core/state-ages.ts';

export type Remembered = {
  /** Since when what is published, told and answered has been as it is. */
  readonly ages: States;
  /** Since when each worker has been there, or away. */
  readonly presence: States;
  /** Keys of seats whose workers had failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
  /** By pod UID: the version in the first answer of its worker. */
  readonly firstVersions: ReadonlyMap<string, number>;
};

/** By one that has only begun to lead: it waits rather than acts too soon. */
export const nothingRemembered: Remembered = {
  ages: new Map(),
  presence: new Map(),
  distrusted: [],
  firstVersions: new Map(),
};
