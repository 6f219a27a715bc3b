// Which changes has a watch not told of? What it knows, compared with a list.
import { isNewer, keyOf } from '../api/objects.ts';
import type { Listing } from './api.ts';

export type Known = { readonly uid: string; readonly resourceVersion: string };

/**
 * By object: the version in the list, or '' where the list lacks it. What is newer than the watch has come to, it may still tell of; so may
 * it of a deletion, which has no version in a list: only what is found twice, with a watch in between, was missed.
 */
export function missedIn({ items }: Listing, known: ReadonlyMap<string, Known>, seen: string): ReadonlyMap<string, string> {
  const missed = new Map<string, string>();
  const listed = new Set<string>();
  for (const { metadata } of items) {
    const key = keyOf(metadata);
    const version = metadata.resourceVersion ?? '0';
    listed.add(key);
    if (!isNewer(version, seen) && known.get(key)?.resourceVersion !== version) missed.set(key, version);
  }
  for (const [key, { resourceVersion }] of known) if (!listed.has(key) && !isNewer(resourceVersion, seen)) missed.set(key, '');
  return missed;
}

export const isFoundTwice = (first: ReadonlyMap<string, string>, second: ReadonlyMap<string, string>): boolean =>
  [...second].some(([key, version]) => first.get(key) === version);
