// Do two values say the same? As JSON does: the order of keys is nothing, an absent key is an
// undefined one.
import { isRecord } from '../api/objects.ts';

export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return a === b;
  // Without a list of all keys: specs of megabytes are compared with each of their events.
  for (const key of Object.keys(a)) if (!isSameJson(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}
