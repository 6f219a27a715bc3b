// Which parts of a foreign message may be shown? Every part of a parameter's value, such as the
// password in a camera's URL, is replaced.

/**
 * The length from which a part of a value reveals it; a shorter value counts if it is a whole word.
 */
const PART = 5;
/** The length of a value that is compared: the rest of a longer one is ignored. */
const LONGEST_VALUE = 65_536;
const REPLACED = '…';

export function redacted(message: string, values: readonly string[]): string {
  const hidden = new Array<boolean>(message.length).fill(false);
  const hide = (from: number, length: number): void => void hidden.fill(true, from, from + length);
  for (const value of values.flatMap(spellingsOf)) {
    if (value.length < PART) {
      for (const at of wordsAt(message, value)) hide(at, value.length);
      continue;
    }
    const parts = new Set<string>();
    for (let at = 0; at + PART <= value.length; at += 1) parts.add(value.slice(at, at + PART));
    for (let at = 0; at + PART <= message.length; at += 1)
      if (parts.has(message.slice(at, at + PART))) hide(at, PART);
  }
  let text = '';
  hidden.forEach((isHidden, at) => {
    if (!isHidden) text += message[at];
    else if (at === 0 || !hidden[at - 1]) text += REPLACED;
  });
  return text.toWellFormed();
}

/** A program may print an escaped value without its escapes. */
function spellingsOf(value: string): readonly string[] {
  const bounded = value.slice(0, LONGEST_VALUE);
  if (bounded === '') return [];
  return [...new Set([bounded, decoded(bounded)])].filter((it) => it !== '');
}

export function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export const isWordPart = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

function wordsAt(message: string, word: string): readonly number[] {
  const found: number[] = [];
  for (let at = message.indexOf(word); at >= 0; at = message.indexOf(word, at + 1)) {
    if (!isWordPart(message[at - 1]) && !isWordPart(message[at + word.length])) found.push(at);
  }
  return found;
}
