// How is the structure of a document mutated, so that it stays valid YAML or JSON?
import { dump, load } from 'js-yaml';
import type { Random } from '../sim/random.ts';
import { SECRET } from './oracles.ts';
import type { Form } from './target.ts';
import { names } from './words.ts';

type Slot = {
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
  readonly remove: () => void;
  readonly rename: (key: string) => void;
};

const MOST_SLOTS = 2_000;

/** Undefined: the input is no valid document. */
export function changedTree(
  input: string,
  form: Form,
  random: Random,
  words: readonly string[],
): string | undefined {
  if (form === 'text' || input.length > 100_000) return undefined;
  try {
    const root = { document: parsed(input, form) };
    const slots = slotsIn(root);
    if (slots.length === 0) return undefined;
    change(random.pick(slots), random.pick(slots), random, words);
    return printed(root.document, form, random);
  } catch {
    // Too deeply nested, or not to be written in this form.
    return undefined;
  }
}

const parsed = (input: string, form: Form): unknown =>
  form === 'json' ? JSON.parse(input) : load(input);

const printed = (document: unknown, form: Form, random: Random): string =>
  form === 'json' || random.chance(0.2)
    ? JSON.stringify(document)
    : dump(document, random.chance(0.5) ? { noRefs: true } : { flowLevel: random.between(0, 3) });

/** All places of a document that have a value, its root included. */
function slotsIn(root: Record<string, unknown>): readonly Slot[] {
  const slots: Slot[] = [];
  const left: unknown[] = [root];
  const seen = new Set<unknown>();
  for (
    let parent = left.pop();
    parent !== undefined && slots.length < MOST_SLOTS;
    parent = left.pop()
  ) {
    if (typeof parent !== 'object' || parent === null || seen.has(parent)) continue;
    seen.add(parent);
    const at = parent;
    for (const [key, value] of Object.entries(at)) {
      slots.push({
        get: () => Reflect.get(at, key),
        set: (other) => define(at, key, other),
        remove: () =>
          Array.isArray(at) ? at.splice(Number(key), 1) : Reflect.deleteProperty(at, key),
        rename: (other) => {
          if (Array.isArray(at)) at.splice(Number(key), 0, Reflect.get(at, key));
          else {
            Reflect.deleteProperty(at, key);
            define(at, other, value);
          }
        },
      });
      left.push(value);
    }
  }
  return slots;
}

/** Assignment would treat the key `__proto__` as the prototype. */
const define = (at: object, key: string, value: unknown): void =>
  void Object.defineProperty(at, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });

function change(slot: Slot, other: Slot, random: Random, words: readonly string[]): void {
  const value = slot.get();
  const pick = (): unknown =>
    random.pick<unknown>([
      ...values,
      random.pick(words),
      random.pick(names),
      JSON.parse(JSON.stringify(other.get()) ?? 'null'),
    ]);
  const key = random.pick([random.pick(words), random.pick(names)]);
  const isParent = typeof value === 'object' && value !== null;
  random.pick([
    () => slot.set(pick()),
    () => slot.set(pick()),
    () => slot.remove(),
    () => slot.rename(key),
    () => slot.set([value]),
    () => slot.set({ [key]: value }),
    () => slot.set(typeof value === 'string' ? `${value}${random.pick(words)}` : pick()),
    () =>
      isParent
        ? Array.isArray(value)
          ? value.push(pick())
          : define(value, key, pick())
        : slot.set(String(value)),
    () =>
      isParent
        ? Array.isArray(value)
          ? value.push(pick())
          : define(value, key, pick())
        : slot.set(String(value)),
  ])();
}

const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  7,
  65_536,
  2_147_483_648,
  1e12,
  1e12 + 1,
  1e21,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  'a',
  '1',
  'a\nb',
  '\0',
  '\ud800',
  '\u2028',
  SECRET,
  'x'.repeat(300),
  'x'.repeat(5_000),
  [],
  {},
  [[]],
  [null],
  [1],
  ['a', 'a'],
  { a: 1 },
  { toString: 1 },
  { length: 3 },
];
