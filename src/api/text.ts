// How is text from outside read and shown: JSON, errors of unknown origin, names and messages?
import { asString, dig } from './objects.ts';

/**
 * Not by instanceof: in tests, Node's own errors come from another realm. Some values that can be
 * thrown have no text.
 */
export const errorText = (error: unknown): string =>
  orUndefined(() => asString(dig(error, 'message'))?.trim() || String(error)) ??
  'an error without a message';

/** Node's own code, such as ENOENT of a system call. */
export const errorCode = (error: unknown): string | undefined => asString(dig(error, 'code'));

/** The longest text of a condition, event or log line. */
export const LONGEST_MESSAGE = 1_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would end the line, or command the terminal that shows it
const breaks = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

export function oneLine(text: string, longest = LONGEST_MESSAGE): string {
  const line = text
    .slice(0, 2 * longest)
    .replace(breaks, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** Undefined: the call has thrown. */
export function orUndefined<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Undefined: the text is not JSON. */
export const parseJson = (text: string | undefined): unknown =>
  text === undefined ? undefined : orUndefined(() => JSON.parse(text));
