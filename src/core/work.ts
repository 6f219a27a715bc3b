// How is long work divided into turns? It yields, and the caller may let other work go first.

/** It works on a snapshot: nothing it reads changes between two turns. */
export type Work<T> = Generator<void, T, void>;

/** For a decision that is short: other work goes first, then it is made at once. */
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
