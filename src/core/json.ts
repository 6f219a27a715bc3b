// Are two values the same JSON? The order of keys does not matter; an absent key equals undefined.
import { isRecord, own } from '../api/objects.ts';

export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  // Builds no list of all keys: specs of megabytes are compared at each of their events. `own`,
  // since a key may have the name of an inherited method, such as constructor.
  for (const key of Object.keys(a)) if (!isSameJson(a[key], own(b, key))) return false;
  for (const key of Object.keys(b))
    if (b[key] !== undefined && own(a, key) === undefined) return false;
  return true;
}
