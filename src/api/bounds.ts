// How large may input from outside be? The size is checked before the operator parses, builds or
// writes anything from it.

/**
 * Workers of one pool. For this number, a decision takes a quarter of a second and 100 MiB, and
 * probing all workers ten seconds; for three times as many, it takes a second, and the operator's
 * heap.
 */
export const MOST_WORKERS = 10_000;

/** Workers named in all ConfigMaps of a pool, in its current place and in its earlier one. */
export const MOST_NAMED = 4 * MOST_WORKERS;

/** Streams in all lists of a pool together; measured with a hundred thousand. */
export const MOST_STREAMS = 120_000;

/** Characters of one YAML text: twice the content of a ConfigMap, since files are read as well. */
export const MOST_TEXT = 2 * 1024 * 1024;
/** Characters that begin a value: short values take a hundred times the memory of their text. */
const MOST_MARKS = 300_000;
/** Deeper than any text of ours, or any list. */
export const MOST_DEPTH = 16;

export type Size = { readonly length: number; readonly marks: number };

/** One YAML text. */
export const MOST_OF_TEXT: Size = { length: MOST_TEXT, marks: MOST_MARKS };
/** All lists of a pool, or its whole published assignment. */
export const MOST_OF_POOL: Size = { length: 16 * 1024 * 1024, marks: 1_000_000 };
/** All ConfigMaps of a pool, in its current place and in its earlier one. */
export const MOST_READ: Size = { length: 2 * MOST_OF_POOL.length, marks: 2 * MOST_OF_POOL.marks };
/** ConfigMaps with the pool's label, and keys in them. */
export const MOST_LOCATIONS = 2_000;

/** Problems reported for one text: a user who fixes these sees the next ones. */
export const MOST_PROBLEMS = 100;

/** Undefined: the size is within the bound. */
export function exceededBy({ length, marks }: Size, most: Size): string | undefined {
  if (length > most.length) return `${length} characters; allowed are ${most.length}`;
  return marks > most.marks
    ? `${marks} marks of YAML (lines, dashes, commas, brackets); allowed are ${most.marks}`
    : undefined;
}

export const together = (sizes: readonly Size[]): Size =>
  sizes.reduce(
    (sum, { length, marks }) => ({ length: sum.length + length, marks: sum.marks + marks }),
    { length: 0, marks: 0 },
  );
