// How is long work divided into turns? It yields, and the caller may let other work go first.

/** It works on a snapshot: no value that it reads changes between two turns. */
export type Work<T> = Generator<void, T, void>;

/** The number of items of a long list that are processed in one piece: well below a millisecond. */
const ITEMS_PER_PIECE = 1_000;

/** In a loop over a long list: does the work yield after the item at this index? */
export const endsPiece = (index: number): boolean => (index + 1) % ITEMS_PER_PIECE === 0;

/** For a short decision: yields once to other work, and is then made in one piece. */
export function* inOneTurn<T>(make: () => T): Work<T> {
  yield;
  return make();
}

/** Without a pause: for tests, plans and the CLI. */
export function runToEnd<T>(work: Work<T>): T {
  for (;;) {
    const turn = work.next();
    if (turn.done === true) return turn.value;
  }
}
