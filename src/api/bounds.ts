// How much of what comes from outside is taken? Looked at before anything is parsed, built or written.

/**
 * Of one pool. A decision about so many takes a quarter of a second and 100 MiB, asking them all ten seconds; with three times as many it
 * takes a second, and the operator's heap.
 */
export const MOST_WORKERS = 10_000;

/** Of all lists of a pool together: a hundred thousand were measured, and have to work. */
export const MOST_STREAMS = 120_000;

/** One text in YAML, in characters: twice what a ConfigMap can hold, since files are read as well. */
export const MOST_TEXT = 2 * 1024 * 1024;
/** Marks that begin a value in it: a million short ones are, once read, some hundred times as long as their text. */
export const MOST_MARKS = 300_000;
/** Deeper than any text of ours, or any list. */
export const MOST_DEPTH = 16;

export type Size = { readonly length: number; readonly marks: number };

/** All lists of a pool, or all that is published for it. */
export const MOST_OF_POOL: Size = { length: 16 * 1024 * 1024, marks: 1_000_000 };
/** All that is read of its ConfigMaps: where it is published, and where it was before. */
export const MOST_READ: Size = { length: 2 * MOST_OF_POOL.length, marks: 2 * MOST_OF_POOL.marks };
/** What is published stands in so many keys at most, however many ConfigMaps carry the pool's label. */
export const MOST_PLACES = 2_000;

/** Of one text: who mends these sees the next. */
export const MOST_PROBLEMS = 100;

/** Undefined: within the bound. */
export function excessOf({ length, marks }: Size, most: Size): string | undefined {
  if (length > most.length) return `${length} characters, and ${most.length} are allowed`;
  return marks > most.marks ? `${marks} marks of YAML (lines, dashes, commas, brackets), and ${most.marks} are allowed` : undefined;
}

export const together = (sizes: readonly Size[]): Size =>
  sizes.reduce((sum, { length, marks }) => ({ length: sum.length + length, marks: sum.marks + marks }), { length: 0, marks: 0 });
