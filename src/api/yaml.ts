// Parses YAML from outside, within bounds. A problem never quotes the text: it may contain a
// password.
import { load, YAMLException } from 'js-yaml';
import { exceededBy, MOST_DEPTH, MOST_MARKS, MOST_TEXT, type Size } from './bounds.ts';

type ReadText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string; readonly line?: number };

export function readText(text: string): ReadText {
  const problem = tooMuch(text);
  if (problem !== undefined) return { ok: false, problem };
  try {
    // Aliases can expand to ten thousand times their text.
    return { ok: true, value: load(text, { maxDepth: MOST_DEPTH, maxAliases: 0 }) };
  } catch (error) {
    const line = error instanceof YAMLException ? error.mark?.line : undefined;
    return {
      ok: false,
      problem: `not YAML: ${ruleOf(error)}`,
      ...(line !== undefined && { line: line + 1 }),
    };
  }
}

/** Why the text is too large to be parsed, if it is. */
export const tooMuch = (text: string): string | undefined =>
  exceededBy(sizeOf(text), { length: MOST_TEXT, marks: MOST_MARKS });

export const sizeOf = (text: string): Size => ({ length: text.length, marks: marksIn(text) });

/** Counts the characters that can begin a value: faster than a pattern where there are many. */
function marksIn(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1)
    switch (text[at]) {
      case '\n':
      case '\r':
      case ',':
      case '[':
      case '{':
        marks += 1;
        break;
      case '-':
      case ':':
      case '?':
        if (BLANK.has(text[at + 1])) marks += 1;
    }
  return marks;
}

const BLANK: ReadonlySet<string | undefined> = new Set([' ', '\t', '\n', '\r']);

/** The parser's message without what it quotes. */
function ruleOf(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'cannot be parsed';
  const { reason } = error;
  if (reason.startsWith('aliases exceeded'))
    return 'aliases (*name) are not allowed; write out each value';
  if (reason.startsWith('nesting exceeded')) return `nested deeper than ${MOST_DEPTH}`;
  return reason.replace(/\s*("|!<|: ).*$/s, '');
}
