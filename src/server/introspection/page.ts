// How much is shown of a long list, and which part is asked for? A page begins behind a name, not
// at a number: so entries that come and go between two pages do not shift the next one.
import type { First, Page } from '../../api/introspection/schema.ts';

export const DEFAULT_LIMIT = 100;
export const MOST = 1_000;

type PageRequest = { readonly limit: number; readonly after: string };

/** A text says what is wrong with the query. */
export function pageRequestIn(query: URLSearchParams): PageRequest | string {
  const limit = query.get('limit') ?? String(DEFAULT_LIMIT);
  const number = Number(limit);
  if (!/^\d+$/.test(limit) || number < 1 || number > MOST)
    return `limit is "${limit}"; allowed is a whole number from 1 to ${MOST}`;
  return { limit: number, after: query.get('after') ?? '' };
}

/** `sorted`: by what `nameOf` returns. */
export function pageOf<T, U>(
  sorted: readonly T[],
  nameOf: (item: T) => string,
  { limit, after }: PageRequest,
  show: (item: T) => U,
): Page<U> {
  const found = sorted.findIndex((item) => nameOf(item) > after);
  const start = found < 0 ? sorted.length : found;
  const shown = sorted.slice(start, start + limit);
  const last = shown.at(-1);
  const isMore = start + limit < sorted.length;
  return {
    total: sorted.length,
    items: shown.map(show),
    ...(isMore && last !== undefined && { next: nameOf(last) }),
  };
}

const SHOWN = 100;

export const firstOf = <T>(all: readonly T[], most = SHOWN): First<T> => ({
  total: all.length,
  first: all.slice(0, most),
});
