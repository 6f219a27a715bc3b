// What is a mutant? One small bug, and the tests that ought to find it.

export type Mutant = {
  /** From the root of the project. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly put: string;
  /** As a bug report would say it. */
  readonly what: string;
  /** The cheapest tests that ought to notice: parts of their paths. */
  readonly tests: readonly string[];
};
