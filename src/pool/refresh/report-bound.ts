// How long may a worker's answer be? In proportion to its assignment.
import type { Slice } from '../../api/assignment.ts';
import type { ReportBound } from '../../api/report.ts';
import type { Stream } from '../streams.ts';
import type { Member } from '../workers/members.ts';

/** For jobs of earlier versions, and for fields that the operator does not know. */
const SPARE_JOBS = 1_000;
const SPARE_BYTES = 64 * 1024;
/** JSON may write every character as \u0000. */
const BYTES_PER_CHARACTER = 6;
/** Quotes, comma, indentation. */
const BYTES_PER_JOB = 16;
/** A worker's slice fits into one ConfigMap, so no honest answer is longer. */
const MOST_BYTES = 4 * 1024 * 1024;

export type ReportBounds = {
  readonly streams: readonly Stream[];
  /** The newest publication is known: no worker runs anything else. */
  readonly isRecordWhole: boolean;
};

/** Without a record of its slice, a worker may run any stream of the pool. */
export function boundOf(
  { before }: Member,
  slice: Slice,
  { streams, isRecordWhole }: ReportBounds,
): ReportBound {
  // An unchanged slice is the same object, and counts once.
  const given = [...new Set([slice, before])].flatMap((it) =>
    it === undefined ? [] : [it.jobs, it.releasing ?? NOBODYS],
  );
  const recorded = given.map(sizeOf).reduce(sum, NOTHING);
  const { jobs, characters } =
    isRecordWhole && before !== undefined ? recorded : sum(recorded, sizeOfAll(streams));
  return {
    jobs: SPARE_JOBS + jobs,
    bytes: Math.min(
      MOST_BYTES,
      SPARE_BYTES + characters * BYTES_PER_CHARACTER + jobs * BYTES_PER_JOB,
    ),
  };
}

type Size = { readonly jobs: number; readonly characters: number };

const NOBODYS: readonly string[] = [];
const NOTHING: Size = { jobs: 0, characters: 0 };

const sum = (a: Size, b: Size): Size => ({
  jobs: a.jobs + b.jobs,
  characters: a.characters + b.characters,
});

/**
 * Measured once for each list: every worker without a record counts all streams, and 100,000 names
 * take 1 ms.
 */
const sizes = new WeakMap<object, Size>();

const sizeOf = (names: readonly string[]): Size => measured(names, () => names);

const sizeOfAll = (streams: readonly Stream[]): Size =>
  measured(streams, () => streams.map(({ name }) => name));

function measured(list: object, namesIn: () => readonly string[]): Size {
  const known = sizes.get(list);
  if (known !== undefined) return known;
  const names = namesIn();
  const size = {
    jobs: names.length,
    characters: names.reduce((total, { length }) => total + length, 0),
  };
  sizes.set(list, size);
  return size;
}
