// Which parts of a message reveal parameters of other streams at the same worker? A pool may have
// very many: one pass over all of their values serves many messages. Only long parts count, since
// many messages contain a short one, such as a number, by chance.
import { decoded, isWordPart } from './redact.ts';

/** The length from which a part of another stream's value reveals it. */
const PART = 8;
/** The length from which a whole value counts if it is a word. */
const SHORTEST = 5;
/** The length of a value that is compared: the rest of a longer one is ignored. */
const LONGEST_VALUE = 65_536;
const REPLACED = '…';

export function redactedBeside(
  messages: readonly string[],
  values: Iterable<string>,
): readonly string[] {
  const { parts, words } = foundIn(messages, values);
  return parts.size + words.size === 0
    ? messages
    : messages.map((message) => without(message, parts, words));
}

/** All parts that messages and values share, and a few more parts of values. */
type Found = { readonly parts: ReadonlySet<string>; readonly words: ReadonlySet<string> };

function foundIn(messages: readonly string[], values: Iterable<string>): Found {
  const marks = new Marks();
  for (const message of messages)
    for (let length = SHORTEST; length <= PART; length += 1)
      eachPart(message, length, (hash) => marks.set(hash));
  const parts = new Set<string>();
  const words = new Set<string>();
  const look = (value: string): void => {
    if (value.length < SHORTEST) return;
    const isPart = value.length >= PART;
    eachPart(value, isPart ? PART : value.length, (hash, at) => {
      if (!marks.has(hash)) return;
      if (isPart) parts.add(value.slice(at, at + PART));
      else words.add(value);
    });
  };
  for (const whole of values) {
    const value = whole.slice(0, LONGEST_VALUE);
    look(value);
    const plain = value.includes('%') ? decoded(value) : value;
    if (plain !== value) look(plain);
  }
  return { parts, words };
}

function without(message: string, parts: Found['parts'], words: Found['words']): string {
  const hidden = new Array<boolean>(message.length).fill(false);
  for (let at = 0; at + PART <= message.length; at += 1)
    if (parts.has(message.slice(at, at + PART))) hidden.fill(true, at, at + PART);
  for (const word of words)
    for (let at = message.indexOf(word); at >= 0; at = message.indexOf(word, at + 1))
      if (!isWordPart(message[at - 1]) && !isWordPart(message[at + word.length]))
        hidden.fill(true, at, at + word.length);
  if (!hidden.includes(true)) return message;
  const text = [...hidden.keys()].map((at) => (hidden[at] === true ? REPLACED : message[at]));
  return text.join('').replace(/…{2,}/g, REPLACED).toWellFormed();
}

const BITS = 2 ** 20;

/** Which hashes were added? Also true for a few hashes that were not. */
class Marks {
  readonly #bits = new Uint8Array(BITS / 8);

  set(hash: number): void {
    const bit = bitOf(hash);
    this.#bits[bit >>> 3] = (this.#bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
  }

  has(hash: number): boolean {
    const bit = bitOf(hash);
    return ((this.#bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }
}

const bitOf = (hash: number): number => (hash ^ (hash >>> 13)) & (BITS - 1);

const FACTOR = 0x01000193;

/** Computes the hash of each part of this length from the hash before it. */
function eachPart(text: string, length: number, visit: (hash: number, at: number) => void): void {
  let leaving = 1;
  for (let power = 1; power < length; power += 1) leaving = Math.imul(leaving, FACTOR);
  let hash = 0;
  for (let end = 0; end < text.length; end += 1) {
    if (end >= length) hash -= Math.imul(text.charCodeAt(end - length), leaving);
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(end)) | 0;
    if (end + 1 >= length) visit(hash, end + 1 - length);
  }
}
