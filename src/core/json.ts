// Do two values say the same? As JSON does: the order of keys is nothing, an absent key is an undefined one.
import { isRecord } from '../api/objects.ts';

export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isSameJson(a[key], b[key]));
}
