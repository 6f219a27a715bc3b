// What is the shortest input that shows the same finding?

const MOST_TRIES = 3_000;

/** `shows`: does this input show the finding? `mayGoOn`: is there time for another try? */
export async function shrink(
  input: string,
  shows: (input: string) => Promise<boolean>,
  mayGoOn: () => boolean = () => true,
): Promise<string> {
  let shortest = input;
  let tries = 0;
  const isOver = (): boolean => tries >= MOST_TRIES || !mayGoOn();
  for (let size = Math.ceil(input.length / 2); size >= 1 && !isOver(); ) {
    let isShorter = false;
    for (let at = 0; at < shortest.length && !isOver(); ) {
      const without = shortest.slice(0, at) + shortest.slice(at + size);
      tries += 1;
      if (await shows(without)) {
        shortest = without;
        isShorter = true;
      } else at += size;
    }
    if (size === 1 && !isShorter) break;
    size = size === 1 ? 1 : Math.floor(size / 2);
  }
  return shortest;
}
