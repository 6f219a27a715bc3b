// Does a list lose so many of the published streams that a user has to confirm it, and does one?
// A list may be empty by a mistake of what writes it: what it loses goes on until then.
import { type Assignment, placedIn } from '../../api/assignment.ts';
import { MOST_STREAMS } from '../../api/bounds.ts';
import { fingerprint } from '../../api/fingerprint.ts';
import type { OwnMeta } from '../../api/own-object.ts';
import type { SwarmPoolSpec, SwarmPoolStatus } from '../../api/validate.ts';
import { memoize } from '../../core/memoize.ts';
import { listed as namesListed, plural } from '../../core/text.ts';
import type { ChangeNote } from '../publish/config-maps.ts';
import { lastNoteIn, publishedStreams } from '../publish/published.ts';
import type { PoolWorld } from '../world.ts';
import type { Stream } from './streams.ts';

/** On a pool: the digest of `status.removal`, which confirms just that removal. */
export const ANNOTATION_CONFIRM_REMOVAL = 'k8slab.info/confirm-removal';

/** While it is held, what the list lost goes on; once a user has confirmed it, the list counts. */
export type Removal = HeldRemoval | { readonly state: 'Confirmed' };

type HeldRemoval = {
  readonly state: 'Held';
  /** What is to run meanwhile: the list, and what it lost. */
  readonly streams: readonly Stream[];
  readonly held: ReadonlySet<string>;
  readonly shown: NonNullable<SwarmPoolStatus['removal']>;
  /** What would go, and how to confirm it. */
  readonly message: string;
};

const confirmed: Removal = { state: 'Confirmed' };

type Facts = Pick<PoolWorld, 'pool' | 'published'>;

type Note = Pick<ChangeNote, 'confirmedAt' | 'isHeld'>;

/**
 * A stream without a worker is in no publication, so held ones are the last that lack room: they
 * would be forgotten.
 */
const HELD_PRIORITY = 1_000_000;

/** By publication: at rest the same two are compared with every decision, where they are at all. */
const known = new WeakMap<
  Assignment,
  {
    readonly spec: SwarmPoolSpec;
    readonly list: readonly Stream[];
    readonly annotation: string | undefined;
    readonly note: Note;
    readonly removal: Removal | undefined;
  }
>();

/** Undefined: the list loses few or none. Without a publication there is nothing to hold. */
export function removalBy(
  { pool, published: { assignment, shards } }: Facts,
  spec: SwarmPoolSpec,
  list: readonly Stream[],
): Removal | undefined {
  const { allowEmpty, maxPercent } = spec.removal;
  if (assignment === undefined) return undefined;
  if (maxPercent === undefined && (allowEmpty || keepsAny(assignment, list))) return undefined;
  const annotation = pool.meta.annotations[ANNOTATION_CONFIRM_REMOVAL];
  const note: Note = lastNoteIn(shards) ?? {};
  const before = known.get(assignment);
  if (
    before?.spec === spec &&
    before.list === list &&
    before.annotation === annotation &&
    before.note.confirmedAt === note.confirmedAt &&
    before.note.isHeld === note.isHeld
  )
    return before.removal;
  const removal = removalFrom(assignment, spec, list, pool.meta, note);
  known.set(assignment, { spec, list, annotation, note, removal });
  return removal;
}

/** Of a list that can be read. */
export function streamsToRun(
  facts: Facts,
  spec: SwarmPoolSpec,
  list: readonly Stream[],
): readonly Stream[] {
  const removal = removalBy(facts, spec, list);
  return removal?.state === 'Held' ? removal.streams : list;
}

function removalFrom(
  assignment: Assignment,
  { removal: { allowEmpty, maxPercent } }: SwarmPoolSpec,
  list: readonly Stream[],
  meta: OwnMeta,
  { confirmedAt, isHeld }: Note,
): Removal | undefined {
  const listed = new Set(list.map(({ name }) => name));
  const left = publishedStreams(assignment).filter(({ name }) => !listed.has(name));
  // What is done does not run, so that losing it needs no confirmation. Held beside others, it
  // stays recorded.
  const lost = left.filter(({ name }) => assignment.completed?.has(name) !== true);
  if (lost.length === 0) return undefined;
  const placed = new Set([...assignment.workloads.values()].flatMap(placedIn));
  const kept = namesIn(assignment).filter((name) => listed.has(name));
  const total = lost.length + kept.length;
  // Streams that come, complete or move while the removal is held do not make it smaller.
  const added = addedIn(assignment, lost);
  const old = kept.filter((name) => !added.has(name) && (!isHeld || placed.has(name)));
  const gone = isHeld ? left.length : lost.length;
  const isAll = old.length === 0 && !allowEmpty;
  const isTooMuch = maxPercent !== undefined && gone * 100 > maxPercent * (gone + old.length);
  if (kept.length === 0 ? allowEmpty : !isAll && !isTooMuch) return undefined;
  const names = lost.map(({ name }) => name).sort();
  const digest = digestOf(left, confirmedAt);
  const annotation = meta.annotations[ANNOTATION_CONFIRM_REMOVAL];
  if (annotation === digest) return confirmed;
  const what = `${names.length} of ${plural(total, 'stream')} would be removed`;
  const isApart = old.length < kept.length || lost.length < gone;
  const why = isAll
    ? `the list has lost all published streams${isApart ? ' but new or completed ones' : ''}`
    : `that is more than ${maxPercent} percent at once (spec.removal.maxPercent)${isApart ? ', measured by the streams that were published before' : ''}`;
  const how =
    `They keep running as published. Put them back into the list, or confirm the removal: swarmctl confirm-removal ${meta.name}, ` +
    `or the annotation ${ANNOTATION_CONFIRM_REMOVAL}=${digest} on the pool${isAll ? ', or spec.removal.allowEmpty: true' : ''}`;
  return {
    state: 'Held',
    streams: together(list, left, { added, published: new Set(kept), old: new Set(old) }),
    held: new Set(names),
    shown: { total: names.length, digest, message: what },
    message: `${what} (${namesListed(names, 3)}): ${why}. ${how}${staleText(annotation)}`,
  };
}

/** Most lists lose no stream, or a few: then this needs no set of 100,000 names. */
function keepsAny(assignment: Assignment, list: readonly Stream[]): boolean {
  const some = firstOfEach(assignment);
  return some.size > 0 && list.some(({ name }) => some.has(name));
}

/** Of each worker the first stream that was not added while a removal was held. */
const firstOfEach = memoize(({ workloads }: Assignment): ReadonlySet<string> => {
  const some = new Set<string>();
  for (const slice of workloads.values()) {
    const added = new Set(slice.added);
    const first = placedIn(slice).find((name) => !added.has(name));
    if (first !== undefined) some.add(first);
  }
  return some;
});

/** Empty when the list has all streams of an earlier removal again: this one is another. */
function addedIn({ workloads }: Assignment, lost: readonly Stream[]): ReadonlySet<string> {
  const added = new Set([...workloads.values()].flatMap((slice) => slice.added ?? []));
  return lost.some(({ name }) => !added.has(name)) ? added : new Set();
}

/**
 * Exclusive: one that leaves its worker for another is published as well. One that is done is in
 * the list as much as those that run.
 */
const namesIn = ({ workloads, completed }: Assignment): readonly string[] => [
  ...new Set([
    ...[...workloads.values()].flatMap((slice) => [...placedIn(slice), ...(slice.releasing ?? [])]),
    ...(completed?.keys() ?? []),
  ]),
];

/**
 * Also of those that are done: so it stays when another one of them ends meanwhile. `confirmedAt`:
 * with each removal that was confirmed it is another one, so that a confirmation counts once.
 */
function digestOf(left: readonly Stream[], confirmedAt: number | undefined): string {
  const names = left.map(({ name }) => name).sort();
  // No stream has such a name.
  const since = confirmedAt === undefined ? [] : [` ${confirmedAt}`];
  return fingerprint([...names, ...since]).slice(0, 8);
}

/** More than a pool can have are too many: then new ones wait for the confirmation. */
function together(
  list: readonly Stream[],
  lost: readonly Stream[],
  { added, published, old }: Readonly<Record<'added' | 'published' | 'old', ReadonlySet<string>>>,
): readonly Stream[] {
  const isTooLong = list.length + lost.length > MOST_STREAMS;
  const present = isTooLong ? list.filter(({ name }) => published.has(name)) : list;
  return [
    ...present.map((stream) =>
      old.has(stream.name) ? stream : { ...stream, isAdded: true as const },
    ),
    ...lost.map(({ isAdded: _, ...stream }) => ({
      ...{ ...stream, priority: HELD_PRIORITY },
      ...(added.has(stream.name) && { isAdded: true as const }),
    })),
  ];
}

/** A user can write anything there. */
function staleText(annotation: string | undefined): string {
  if (annotation === undefined || annotation === '') return '';
  const value = /^[0-9a-f]{8}$/.test(annotation) ? annotation : 'something else';
  return `. The annotation is ${value}, which confirms another removal`;
}
