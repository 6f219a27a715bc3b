// Which workers were never Ready? Noted on the ConfigMap, so that a new leader knows it.
import type { PoolWorld, PublishedChange } from '../world.ts';
import type { PoolWorker } from './workers.ts';

/** Without a longer list, its workers count as having been Ready: annotations share 256 KiB. */
const MOST_BYTES = 16 * 1024;
/** Workers become Ready one after the other: several are removed in one write. */
const REMOVE_EVERY_MS = 2_000;

/** Noted with the first publication, or the first after an empty one (`before` 0). */
export function neverReadyAfter(
  workers: readonly PoolWorker[],
  known: ReadonlySet<string>,
  change: PublishedChange,
  before: number | undefined,
): readonly string[] {
  const isFirst = change.reason === 'FirstPublication' || before === 0;
  const names = workers.flatMap(({ isDesired, pod, name, from }) =>
    isDesired && pod?.isReady !== true && (isFirst || known.has(from)) ? [name] : [],
  );
  return new TextEncoder().encode(JSON.stringify(names)).length > MOST_BYTES ? [] : names;
}

/** Which of the noted workers have become Ready? The last ones at once, others together. */
export function becameReady(
  { published, ages }: PoolWorld,
  workers: readonly PoolWorker[],
): { readonly names: ReadonlySet<string>; readonly nextInMs: number | undefined } {
  const known = published.neverReady;
  const ready = new Set(
    workers.flatMap(({ name, pod }) => (pod?.isReady === true && known.has(name) ? [name] : [])),
  );
  const left = REMOVE_EVERY_MS - ages.publishedMs;
  if (ready.size === 0 || ready.size === known.size || left <= 0)
    return { names: ready, nextInMs: undefined };
  return { names: new Set(), nextInMs: left };
}
