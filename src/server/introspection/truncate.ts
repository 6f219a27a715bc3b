// How much is shown of a list that may be long?
import type { First } from '../../api/introspection.ts';

const SHOWN = 100;

export const firstOf = <T>(all: readonly T[], most = SHOWN): First<T> => ({
  total: all.length,
  first: all.slice(0, most),
});
