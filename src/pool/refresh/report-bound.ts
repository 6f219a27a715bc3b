// How long may a worker's answer be? In proportion to its assignment.
import type { Slice } from '../../api/assignment.ts';
import type { ReportBound } from '../../api/report.ts';
import type { Stream } from '../streams.ts';
import type { PoolWorker } from '../workers/workers.ts';

/** For jobs of earlier versions, and for fields that the operator does not know. */
const SPARE_JOBS = 1_000;
const SPARE_BYTES = 64 * 1024;
/** JSON may write every character as \u0000. */
const BYTES_PER_CHARACTER = 6;
/** Quotes, comma, indentation. */
const BYTES_PER_JOB = 16;
/** A worker's slice fits into one ConfigMap, so no honest answer is longer. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Without a record of its slice, a worker may run any stream of the pool. */
export function boundOf(
  { before }: PoolWorker,
  slice: Slice,
  streams: readonly Stream[],
  isRecordWhole: boolean,
): ReportBound {
  // An unchanged slice is the same object, and counts once.
  const given = [...new Set([slice, before])].flatMap((it) =>
    it === undefined ? [] : [it.jobs, it.releasing ?? NO_JOBS],
  );
  const recorded = given.map(sizeOf).reduce(sum, NOTHING);
  const { jobs, characters } =
    isRecordWhole && before !== undefined ? recorded : sum(recorded, sizeOf(streams));
  return {
    jobs: SPARE_JOBS + jobs,
    bytes: Math.min(
      MOST_BYTES,
      SPARE_BYTES + characters * BYTES_PER_CHARACTER + jobs * BYTES_PER_JOB,
    ),
  };
}

type Size = { readonly jobs: number; readonly characters: number };

const NO_JOBS: readonly string[] = [];
const NOTHING: Size = { jobs: 0, characters: 0 };

const sum = (a: Size, b: Size): Size => ({
  jobs: a.jobs + b.jobs,
  characters: a.characters + b.characters,
});

/** Measured once for each list: 100,000 names take 1 ms, for every worker without a record. */
const sizes = new WeakMap<object, Size>();

function sizeOf(list: readonly (string | Stream)[]): Size {
  const known = sizes.get(list);
  if (known !== undefined) return known;
  const lengthOf = (it: string | Stream): number =>
    typeof it === 'string' ? it.length : it.name.length;
  const characters = list.reduce((total, it) => total + lengthOf(it), 0);
  const size = { jobs: list.length, characters };
  sizes.set(list, size);
  return size;
}
