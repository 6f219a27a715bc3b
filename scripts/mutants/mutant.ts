// What is a mutant? One small bug, and the tests that should fail because of it.

export type Mutant = {
  /** From the root of the project. */
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly put: string;
  /** As in a bug report. */
  readonly what: string;
  /** The cheapest tests that should fail: parts of their paths. */
  readonly tests: readonly string[];
};
