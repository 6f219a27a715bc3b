// How much may a worker answer? In proportion to what it was assigned: a list of two million jobs is no answer of a worker with ten.
import type { Slice } from '../../../api/assignment.ts';
import type { ReportBound } from '../../../api/report.ts';
import type { Stream } from '../streams.ts';
import type { Member } from '../workers/members.ts';

/** It may run what it was given before the last changes, and tell more of itself than it is asked for. */
const SPARE_JOBS = 1_000;
const SPARE_BYTES = 64 * 1024;
/** JSON may write every character as \u0000. */
const BYTES_PER_CHARACTER = 6;
/** Quotes, comma, indentation. */
const BYTES_PER_JOB = 16;
/** All that is published for a worker stands in one ConfigMap, so that no honest answer is longer. */
const MOST_BYTES = 4 * 1024 * 1024;

export type ReportBounds = {
  readonly streams: readonly Stream[];
  /** What is published is the newest that was: a worker runs nothing that is not recorded there. */
  readonly isRecordWhole: boolean;
};

/** Where it is not recorded what it was given, it may be whatever the pool has. */
export function boundOf({ before }: Member, slice: Slice, { streams, isRecordWhole }: ReportBounds): ReportBound {
  // A slice that is kept is the same object, and counts once.
  const given = [...new Set([slice, before])].flatMap((it) => (it === undefined ? [] : [it.jobs, it.releasing ?? NOBODYS]));
  const recorded = given.map(sizeOf).reduce(sum, NOTHING);
  const { jobs, characters } = isRecordWhole && before !== undefined ? recorded : sum(recorded, sizeOfAll(streams));
  return {
    jobs: SPARE_JOBS + jobs,
    bytes: Math.min(MOST_BYTES, SPARE_BYTES + characters * BYTES_PER_CHARACTER + jobs * BYTES_PER_JOB),
  };
}

type Size = { readonly jobs: number; readonly characters: number };

const NOBODYS: readonly string[] = [];
const NOTHING: Size = { jobs: 0, characters: 0 };

const sum = (a: Size, b: Size): Size => ({ jobs: a.jobs + b.jobs, characters: a.characters + b.characters });

/** Measured once: lists stay the same objects for as long as they say the same, and can be long. */
const sizes = new WeakMap<object, Size>();

const sizeOf = (names: readonly string[]): Size => measured(names, () => names);

const sizeOfAll = (streams: readonly Stream[]): Size => measured(streams, () => streams.map(({ name }) => name));

function measured(list: object, namesIn: () => readonly string[]): Size {
  const known = sizes.get(list);
  if (known !== undefined) return known;
  const names = namesIn();
  const size = { jobs: names.length, characters: names.reduce((total, { length }) => total + length, 0) };
  sizes.set(list, size);
  return size;
}
