// What must hold for every result and every message of a parser?
import { isDeepStrictEqual } from 'node:util';
import { Broken, must } from './target.ts';

/** Part of values that may be secret. A message must not show either half of it. */
export const SECRET = 'hunter2-Tr0ub4dor';
const secretPart = /hunter2|Tr0ub4dor/i;

/** The longest message of an event. */
const LONGEST_MESSAGE = 1_024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const breaksLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** A message has one line and a bounded length. */
export function mustBeMessage(message: string): void {
  must(message.trim() !== '', 'a message says nothing');
  must(!breaksLine.test(message), 'a message is not of one line', () =>
    JSON.stringify(message.slice(0, 200)),
  );
  must(
    message.length <= LONGEST_MESSAGE,
    'a message is too long',
    () => `${message.length} characters`,
  );
}

export function mustTellNothing(message: string): void {
  must(!secretPart.test(message), 'a message tells content', () => message.slice(0, 200));
}

export function mustBeSame(a: unknown, b: unknown, kind: string): void {
  if (!isDeepStrictEqual(a, b)) throw new Broken(kind, `${shown(a)} and ${shown(b)}`, true);
}

const shown = (value: unknown): string =>
  (JSON.stringify(value, (_, it) => (it instanceof Map ? [...it] : it)) ?? 'nothing').slice(0, 200);

/** The returned function throws if a built-in prototype has changed since. */
export function prototypeGuard(): () => void {
  const prototypes = {
    Object: Object.prototype,
    Array: Array.prototype,
    String: String.prototype,
    Function: Function.prototype,
    Map: Map.prototype,
  };
  const known = Object.entries(prototypes).map(([name, prototype]) => ({
    name,
    prototype,
    keys: Reflect.ownKeys(prototype).length,
  }));
  return () => {
    for (const { name, prototype, keys } of known)
      if (Reflect.ownKeys(prototype).length !== keys) {
        const added = Reflect.ownKeys(prototype).slice(keys);
        for (const key of added) Reflect.deleteProperty(prototype, key);
        must(false, `${name}.prototype was changed`, () => added.map(String).join(', '));
      }
  };
}
