// Which changes has a watch not told of? What it knows, compared with a list.
import { isNewer, keyOf } from '../../api/objects.ts';
import type { Listing } from '../client/api.ts';
import type { KnownVersion } from './known-objects.ts';

/**
 * By object: the version in the list, or '' where the list lacks it. The watch went on while the
 * list was made: what it has come to later, or has not come to yet, is not missed. Of deletions a
 * list has no version: only what is found twice was missed.
 */
export function missedIn(
  listing: Listing,
  known: ReadonlyMap<string, KnownVersion>,
  seen: string,
): ReadonlyMap<string, string> {
  const missed = new Map<string, string>();
  const listed = new Set<string>();
  for (const { metadata } of listing.items) {
    const key = keyOf(metadata);
    const version = metadata.resourceVersion ?? '0';
    listed.add(key);
    if (!isNewer(version, seen) && isNewer(version, known.get(key)?.resourceVersion ?? ''))
      missed.set(key, version);
  }
  for (const [key, { resourceVersion }] of known)
    if (!listed.has(key) && !isNewer(resourceVersion, listing.resourceVersion)) missed.set(key, '');
  return missed;
}

export const isFoundTwice = (
  first: ReadonlyMap<string, string>,
  second: ReadonlyMap<string, string>,
): boolean => [...second].some(([key, version]) => first.get(key) === version);
