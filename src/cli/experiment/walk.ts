// Through which sizes does a round lead? From the first to each in turn, and back to the first, so
// that every round has the same steps.
import { CommandError } from '../arguments/command.ts';

type WalkStep = { readonly from: number; readonly to: number };

const MOST_SIZE = 100_000;
const allowed = `allowed are two or more whole numbers from 0 to ${MOST_SIZE}, separated by commas, no two neighbours equal`;

/** As typed. */
export function sizesIn(texts: readonly string[]): readonly number[] {
  const sizes = texts.map((text) => (/^\d{1,6}$/.test(text) ? Number(text) : Number.NaN));
  const isWalk =
    sizes.length > 1 && sizes.every((size, at) => size <= MOST_SIZE && size !== sizes[at - 1]);
  if (!isWalk) throw new CommandError(`--sizes is ${JSON.stringify(texts.join())}; ${allowed}`);
  return sizes;
}

export function walkOf(sizes: readonly number[]): readonly WalkStep[] {
  return sizes.flatMap((from, at) => {
    const to = sizes[(at + 1) % sizes.length] ?? from;
    return from === to ? [] : [{ from, to }];
  });
}
