// How is long work divided into turns? It yields, and the caller may let other work go first.

/** It works on a snapshot: no value that it reads changes between two turns. */
export type Work<T> = Generator<void, T, void>;

/** The number of items of a long list that are processed in one piece: well below a millisecond. */
const ITEMS_PER_PIECE = 1_000;

/** Is it so for any of a long list? Yields after each piece. */
export function* someOf<T>(
  items: Iterable<T>,
  isSo: (item: T, index: number) => boolean,
): Work<boolean> {
  let index = 0;
  for (const item of items) {
    if (isSo(item, index)) return true;
    index += 1;
    if (index % ITEMS_PER_PIECE === 0) yield;
  }
  return false;
}

/** Does the same with each of a long list. Yields after each piece. */
export function* eachOf<T>(items: Iterable<T>, act: (item: T, index: number) => void): Work<void> {
  yield* someOf(items, (item, index) => {
    act(item, index);
    return false;
  });
}

/** Does the same for each number from 0 on. Yields after each piece. */
export function* eachUpTo(count: number, act: (index: number) => void): Work<void> {
  for (let index = 0; index < count; index += 1) {
    act(index);
    if ((index + 1) % ITEMS_PER_PIECE === 0) yield;
  }
}

/** Sorts texts by their code units, as `sort` does. Yields after each piece. */
export function* sortedTexts(texts: readonly string[]): Work<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let at = 0; at < texts.length; at += ITEMS_PER_PIECE) {
    runs.push(texts.slice(at, at + ITEMS_PER_PIECE).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedTexts(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedTexts(a: readonly string[], b: readonly string[]): Work<readonly string[]> {
  const merged: string[] = [];
  let [nextOfA, nextOfB] = [0, 0];
  yield* eachUpTo(a.length + b.length, () => {
    const [ofA, ofB] = [a[nextOfA], b[nextOfB]];
    if (ofA !== undefined && (ofB === undefined || ofA <= ofB)) {
      merged.push(ofA);
      nextOfA += 1;
    } else if (ofB !== undefined) {
      merged.push(ofB);
      nextOfB += 1;
    }
  });
  return merged;
}

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
