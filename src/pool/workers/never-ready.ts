// Which workers were never Ready? Noted on the ConfigMap, so that a new leader knows it.
import type { PublishedChange } from '../publish/notes.ts';
import type { PublishedShard } from '../publish/published.ts';
import type { Member } from './members.ts';

/**
 * A longer list is left out, and its workers count as having been Ready: all annotations share 256
 * KiB.
 */
const MOST_BYTES = 16 * 1024;
/** Workers become Ready one after the other: several are removed in one write. */
const STRIKE_EVERY_MS = 2_000;

/** A worker that stands in two places while its shard changes has to be on both lists. */
export function neverReadyIn(
  shards: readonly PublishedShard[],
  listOf: (shard: PublishedShard) => readonly string[],
): ReadonlySet<string> {
  const lists = shards
    .filter(({ isSuperseded }) => isSuperseded !== true)
    .map((shard) => ({ shard, names: new Set(listOf(shard)) }));
  const all = new Set(lists.flatMap(({ names }) => [...names]));
  const holds = ({ read }: PublishedShard, name: string): boolean =>
    read?.ok === true && read.assignment.workloads.has(name);
  return new Set(
    [...all].filter((name) =>
      lists.every(({ shard, names }) => names.has(name) || !holds(shard, name)),
    ),
  );
}

type Publishing = {
  /** Those in this ConfigMap. */
  readonly members: readonly Member[];
  readonly known: ReadonlySet<string>;
  readonly change: PublishedChange;
  /** How many workers the last publication had. */
  readonly before: number | undefined;
};

/**
 * Noted with the first publication, or the first after an empty one; later workers are never noted.
 */
export function neverReadyAfter({ members, known, change, before }: Publishing): readonly string[] {
  const isFirst = change.reason === 'FirstPublication' || before === 0;
  const names = members.flatMap(({ isDesired, pod, name, from }) =>
    isDesired && pod?.isReady !== true && (isFirst || known.has(from)) ? [name] : [],
  );
  return new TextEncoder().encode(JSON.stringify(names)).length > MOST_BYTES ? [] : names;
}

type Struck = {
  /** Workers to remove now. */
  readonly names: ReadonlySet<string>;
  readonly nextInMs: number | undefined;
};

/** The last ones at once, others together. */
export function struckNow(
  members: readonly Member[],
  known: ReadonlySet<string>,
  publishedMs: number,
): Struck {
  const ready = new Set(
    members.flatMap(({ name, pod }) => (pod?.isReady === true && known.has(name) ? [name] : [])),
  );
  const left = STRIKE_EVERY_MS - publishedMs;
  if (ready.size === 0 || ready.size === known.size || left <= 0)
    return { names: ready, nextInMs: undefined };
  return { names: new Set(), nextInMs: left };
}
