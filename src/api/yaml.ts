// How is YAML from outside parsed within bounds? A problem never quotes the text, which may contain
// a password.
import { load, YAMLException } from 'js-yaml';
import { exceededBy, MOST_DEPTH, MOST_OF_TEXT, type Size } from './bounds.ts';

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

/** Why the text is too large to be parsed; undefined: it is not. */
const tooMuch = (text: string): string | undefined => exceededBy(sizeOf(text), MOST_OF_TEXT);

export const sizeOf = (text: string): Size => ({ length: text.length, marks: marksIn(text) });

/** Counts the characters that can begin a value: faster than a pattern if there are many. */
function marksIn(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case LINE_FEED:
      case CARRIAGE_RETURN:
      case COMMA:
      case BRACKET:
      case BRACE:
        marks += 1;
        break;
      case DASH:
      case COLON:
      case QUESTION_MARK:
        if (isBlank(text.charCodeAt(at + 1))) marks += 1;
    }
  return marks;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const QUESTION_MARK = 0x3f;
const BRACKET = 0x5b;
const BRACE = 0x7b;

const isBlank = (code: number): boolean =>
  code === SPACE || code === TAB || code === LINE_FEED || code === CARRIAGE_RETURN;

/** The parser's message without the text that it quotes. */
function ruleOf(error: unknown): string {
  if (!(error instanceof YAMLException)) return 'cannot be parsed';
  const { reason } = error;
  if (reason.startsWith('aliases exceeded'))
    return 'aliases (*name) are not allowed; write out each value';
  if (reason.startsWith('nesting exceeded')) return `nested deeper than ${MOST_DEPTH}`;
  return reason.replace(/\s*("|!<|: ).*$/s, '');
}
