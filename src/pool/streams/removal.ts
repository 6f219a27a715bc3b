// Does a list lose so many published streams that a user has to confirm it, and has a user
// confirmed it? A list may be empty because of a bug in the program that writes it: its streams
// keep running until a confirmation.
import { type Assignment, placedIn } from '../../api/assignment.ts';
import { MOST_STREAMS } from '../../api/bounds.ts';
import { fingerprint } from '../../api/fingerprint.ts';
import type { OwnMeta } from '../../api/own-object.ts';
import type { SwarmPoolSpec, SwarmPoolStatus } from '../../api/validate.ts';
import { memoize } from '../../core/memoize.ts';
import { listed as namesListed, plural } from '../../core/text.ts';
import { eachOf, runToEnd, someOf, sortedTexts, type Work } from '../../core/work.ts';
import type { ChangeNote } from '../publish/config-map.ts';
import { lastNoteIn, publishedByName } from '../publish/published.ts';
import type { PoolWorld } from '../world.ts';
import { readNames } from './names.ts';
import type { Stream } from './streams.ts';

/** On a pool: the digest in `status.removal`, which confirms only that removal. */
export const ANNOTATION_CONFIRM_REMOVAL = 'k8slab.info/confirm-removal';

/**
 * While it is held, the lost streams keep running; once a user has confirmed it, the list counts.
 */
export type Removal = HeldRemoval | { readonly state: 'Confirmed' };

type HeldRemoval = {
  readonly state: 'Held';
  /** The streams that run meanwhile: the list, and the streams that it lost. */
  readonly streams: readonly Stream[];
  readonly held: ReadonlySet<string>;
  readonly shown: NonNullable<SwarmPoolStatus['removal']>;
  /** Describes the removal, and how to confirm it. */
  readonly message: string;
};

const confirmed: Removal = { state: 'Confirmed' };

type Facts = Pick<PoolWorld, 'pool' | 'published'>;

type Note = Pick<ChangeNote, 'confirmedAt' | 'isHeld'>;

/**
 * A stream without a worker is in no publication, so held streams lose their workers last:
 * otherwise they would be forgotten.
 */
const HELD_PRIORITY = 1_000_000;

/** By publication: at rest, each decision compares the same two objects, if it compares any. */
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

/** In one piece. It costs nothing where `removalInTurns` has compared the same before. */
export const removalBy = (
  facts: Facts,
  spec: SwarmPoolSpec,
  list: readonly Stream[],
): Removal | undefined => runToEnd(removalInTurns(facts, spec, list));

/** Undefined: the list loses few streams or none. Without a publication, nothing can be held. */
export function* removalInTurns(
  { pool, published: { assignment, shards } }: Facts,
  spec: SwarmPoolSpec,
  list: readonly Stream[],
): Work<Removal | undefined> {
  const { allowEmpty, maxPercent } = spec.removal;
  if (assignment === undefined || (maxPercent === undefined && allowEmpty)) return undefined;
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
  const isCalm = maxPercent === undefined && (yield* keepsAny(assignment, list));
  const removal = isCalm ? undefined : yield* removalFrom(assignment, spec, list, pool.meta, note);
  known.set(assignment, { spec, list, annotation, note, removal });
  return removal;
}

/** For a list that can be read. */
export function streamsToRun(
  facts: Facts,
  spec: SwarmPoolSpec,
  list: readonly Stream[],
): readonly Stream[] {
  const removal = removalBy(facts, spec, list);
  return removal?.state === 'Held' ? removal.streams : list;
}

function* removalFrom(
  assignment: Assignment,
  { removal: { allowEmpty, maxPercent } }: SwarmPoolSpec,
  list: readonly Stream[],
  meta: OwnMeta,
  { confirmedAt, isHeld }: Note,
): Work<Removal | undefined> {
  const listed = yield* readNames(list);
  const isListed = (name: string): boolean => listed.get(name) !== undefined;
  const left: Stream[] = [];
  // A completed stream does not run, so its removal needs no confirmation. Held beside others, it
  // stays recorded.
  const lost: Stream[] = [];
  yield* eachOf((yield* publishedByName(assignment)).values(), (stream) => {
    if (isListed(stream.name)) return;
    left.push(stream);
    if (assignment.completed?.has(stream.name) !== true) lost.push(stream);
  });
  if (lost.length === 0) return undefined;
  const kept = new Set<string>();
  yield* eachOf(namesOf(assignment), (name) => {
    if (isListed(name)) kept.add(name);
  });
  const total = lost.length + kept.size;
  // Streams that are added, completed or moved while the removal is held do not make it smaller.
  const added = addedIn(assignment, lost);
  const old = new Set<string>();
  yield* eachOf(isHeld ? placedBy(assignment) : kept, (name) => {
    if (kept.has(name) && !added.has(name)) old.add(name);
  });
  const gone = isHeld ? left.length : lost.length;
  const isAll = old.size === 0 && !allowEmpty;
  const isTooMuch = maxPercent !== undefined && gone * 100 > maxPercent * (gone + old.size);
  if (kept.size === 0 ? allowEmpty : !isAll && !isTooMuch) return undefined;
  const names = yield* sortedTexts(lost.map(({ name }) => name));
  const held = new Set<string>();
  yield* eachOf(names, (name) => held.add(name));
  const isAnyCompleted = lost.length < left.length;
  const all = isAnyCompleted ? yield* sortedTexts(left.map(({ name }) => name)) : names;
  const digest = digestOf(all, confirmedAt);
  const annotation = meta.annotations[ANNOTATION_CONFIRM_REMOVAL];
  if (annotation === digest) return confirmed;
  const what = `${names.length} of ${plural(total, 'stream')} would be removed`;
  const isApart = old.size < kept.size || lost.length < gone;
  const why = isAll
    ? `the list has lost all published streams${isApart ? ' but new or completed ones' : ''}`
    : `that is more than ${maxPercent} percent at once (spec.removal.maxPercent)${isApart ? ', measured by the streams that were published before' : ''}`;
  const how =
    `They keep running as published. Put them back into the list, or confirm the removal: swarmctl confirm-removal ${meta.name}, ` +
    `or the annotation ${ANNOTATION_CONFIRM_REMOVAL}=${digest} on the pool${isAll ? ', or spec.removal.allowEmpty: true' : ''}`;
  return {
    state: 'Held',
    streams: yield* together(list, left, { added, published: kept, old }),
    held,
    shown: { total: names.length, digest, message: what },
    message: `${what} (${namesListed(names, 3)}): ${why}. ${how}${staleText(annotation)}`,
  };
}

/** Most lists lose few streams or none: then no set of 100,000 names is built. */
function* keepsAny(assignment: Assignment, list: readonly Stream[]): Work<boolean> {
  const some = firstOfEach(assignment);
  return some.size > 0 && (yield* someOf(list, ({ name }) => some.has(name)));
}

/** The first stream of each worker that was not added while a removal was held. */
const firstOfEach = memoize(({ workloads }: Assignment): ReadonlySet<string> => {
  const some = new Set<string>();
  for (const slice of workloads.values()) {
    const added = new Set(slice.added);
    const first = placedIn(slice).find((name) => !added.has(name));
    if (first !== undefined) some.add(first);
  }
  return some;
});

/**
 * Empty if the list has all streams of an earlier removal again: the current one is a new removal.
 */
function addedIn({ workloads }: Assignment, lost: readonly Stream[]): ReadonlySet<string> {
  const added = new Set([...workloads.values()].flatMap((slice) => slice.added ?? []));
  return lost.some(({ name }) => !added.has(name)) ? added : new Set();
}

/**
 * Exclusive: includes streams on their way from one worker to another. A completed stream belongs
 * to the list as much as a running one.
 */
function* namesOf(assignment: Assignment): Iterable<string> {
  yield* placedBy(assignment);
  for (const { releasing = [] } of assignment.workloads.values()) yield* releasing;
  yield* assignment.completed?.keys() ?? [];
}

function* placedBy({ workloads }: Assignment): Iterable<string> {
  for (const slice of workloads.values()) yield* placedIn(slice);
}

/**
 * Includes completed streams, so that it stays the same when another one ends meanwhile.
 * `confirmedAt` changes with each confirmed removal, so that a confirmation counts once.
 */
function digestOf(names: readonly string[], confirmedAt: number | undefined): string {
  // No stream can have such a name.
  const since = confirmedAt === undefined ? [] : [` ${confirmedAt}`];
  return fingerprint([...names, ...since]).slice(0, 8);
}

/** If both together exceed the limit of a pool, new streams wait for the confirmation. */
function* together(
  list: readonly Stream[],
  lost: readonly Stream[],
  { added, published, old }: Readonly<Record<'added' | 'published' | 'old', ReadonlySet<string>>>,
): Work<readonly Stream[]> {
  const isTooLong = list.length + lost.length > MOST_STREAMS;
  const streams: Stream[] = [];
  yield* eachOf(list, (stream) => {
    if (isTooLong && !published.has(stream.name)) return;
    streams.push(old.has(stream.name) ? stream : { ...stream, isAdded: true });
  });
  yield* eachOf(lost, ({ isAdded: _, ...stream }) =>
    streams.push({
      ...{ ...stream, priority: HELD_PRIORITY },
      ...(added.has(stream.name) && { isAdded: true }),
    }),
  );
  return streams;
}

/** A user may write any text there. */
function staleText(annotation: string | undefined): string {
  if (annotation === undefined || annotation === '') return '';
  const value = /^[0-9a-f]{8}$/.test(annotation) ? annotation : 'something else';
  return `. The annotation is ${value}, which confirms another removal`;
}
