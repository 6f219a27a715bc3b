// Where do two lists differ? Outside of one range they have the same elements.

/** From `start` on, `removed` elements of the earlier list were replaced by `inserted` others. */
export type Splice = {
  readonly start: number;
  readonly removed: number;
  readonly inserted: number;
};

/** Compares by identity: two equal objects differ. */
export function spliceBetween<T>(before: readonly T[], after: readonly T[]): Splice {
  if (before === after) return { start: before.length, removed: 0, inserted: 0 };
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end])
    end += 1;
  return { start, removed: before.length - start - end, inserted: after.length - start - end };
}
