// Which changes did a watch lose? Its objects are compared with a list.
import { isNewer, keyOf } from '../../api/objects.ts';
import type { Listing } from '../client/api.ts';
import type { KnownVersion } from './known-objects.ts';

/**
 * By object: the version in the list, or '' where the list lacks the object. The watch may be ahead
 * of the list or behind it; neither counts as lost. A list has no version of a deletion, so a
 * deletion was lost only if two lists show it.
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
