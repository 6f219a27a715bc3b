// Which of these words was probably meant?

/** One letter in three may differ. */
const most = (word: string): number => Math.max(1, Math.floor(word.length / 3));
/** Names of streams may be long and many. */
const LONGEST = 64;

/** The first of the nearest words; undefined: none is near. */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = most(word) + 1;
  for (const other of words) {
    if (Math.abs(other.length - word.length) >= least) continue;
    const distance = distanceOf(word.toLowerCase(), other.toLowerCase());
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

/** `; did you mean x?`, or an empty text. */
export function hint(word: string, words: Iterable<string>): string {
  const meant = nearest(word, words);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The number of letters added, omitted, changed, or exchanged with the next one. */
function distanceOf(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isExchanged = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
