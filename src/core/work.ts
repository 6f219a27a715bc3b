// How is long work cut in pieces? It stops now and then, and whoever runs it lets others go first,
// or goes on.

/** Nothing it reads may change in between: it works on a snapshot. */
export type Work<T> = Generator<void, T, void>;

/** In one go: for tests, plans and the CLI, where nobody else waits. */
export function runToEnd<T>(work: Work<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done === true) return piece.value;
  }
}
