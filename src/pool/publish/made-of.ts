// Of which lists was a slice made? An assignment gives a worker the same list again only while each
// stream in it is the same object: so the same lists ask for nothing new.
import type { Slice } from '../../api/assignment.ts';

export type Lists = {
  readonly given: readonly string[];
  readonly suspended: readonly string[];
};

const known = new WeakMap<Slice, Lists>();

export const madeOf = (slice: Slice): Lists | undefined => known.get(slice);

/** Also of a slice that was read, if it asks for the same. */
export const noteMadeOf = (slice: Slice, lists: Lists): void => void known.set(slice, lists);

/** The slice asks its worker to run just these streams. False: not known. */
export const asksFor = (slice: Slice, list: readonly string[]): boolean =>
  slice.jobs === list || madeOf(slice)?.given === list;
