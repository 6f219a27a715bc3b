// Which strings does this process still hold? All that can be reached: in a map, a closure, a timer
import { text } from 'node:stream/consumers';
import { getHeapSnapshot } from 'node:v8';

/** A snapshot collects garbage first. */
export async function stringsInHeap(): Promise<readonly string[]> {
  const snapshot: unknown = JSON.parse(await text(getHeapSnapshot()));
  if (!isSnapshot(snapshot)) throw new Error('the heap snapshot has another form');
  return snapshot.strings;
}

const isSnapshot = (value: unknown): value is { readonly strings: readonly string[] } =>
  typeof value === 'object' && value !== null && 'strings' in value && Array.isArray(value.strings);
