// Are two values the same JSON? The order of keys does not matter; an absent key equals undefined.
import { isRecord, own } from '../api/objects.ts';

/**
 * Long lists of texts that are the same, while both exist: a list of names in a status is compared
 * at each decision. No such list is changed in place.
 */
const same = new WeakMap<object, WeakRef<object>>();
const LONG = 16;

export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return isSameList(a, b);
  if (!isRecord(a) || !isRecord(b)) return false;
  // Builds no list of all keys: specs of megabytes are compared at each of their events. `own`,
  // since a key may have the name of an inherited method, such as constructor.
  for (const key of Object.keys(a)) if (!isSameJson(a[key], own(b, key))) return false;
  for (const key of Object.keys(b))
    if (b[key] !== undefined && own(a, key) === undefined) return false;
  return true;
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  const isKept = a.length >= LONG && typeof a[0] === 'string';
  if (isKept && same.get(a)?.deref() === b) return true;
  for (let index = 0; index < a.length; index += 1)
    if (!isSameJson(a[index], b[index])) return false;
  if (isKept) same.set(a, new WeakRef(b));
  return true;
}
