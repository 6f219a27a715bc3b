// What is known of a worker after one more question? One failure may be chance, and failures of one
// cause come under many names.
import type { ProbeAnswer } from '../api/report.ts';

/**
 * One question may fail on a busy machine; who answered before is taken for silent when he is so
 * again.
 */
const FAILURES_THAT_COUNT = 2;
/**
 * A worker that is away is refused, then not answered, then refused again: another reason is news
 * when it comes so often in a row.
 */
const TIMES_THAT_COUNT = 3;

export type LastAnswer = {
  /** What is told of it. */
  readonly answer: ProbeAnswer | undefined;
  /** Where that was said. */
  readonly url: string | undefined;
  /** Questions in a row that failed. */
  readonly failures: number;
  /** Another reason than the one that is told, and how often it came in a row. */
  readonly other?: { readonly reason: string; readonly times: number };
};

export const NO_ANSWER: LastAnswer = { answer: undefined, url: undefined, failures: 0 };

/**
 * What says the same stays the same object: what was concluded from it need not be concluded again.
 */
export function lastAnswerAfter(before: LastAnswer, url: string, said: ProbeAnswer): LastAnswer {
  const known = before.answer;
  if (said.ok)
    return { answer: known?.ok === true && isSame(known, said) ? known : said, url, failures: 0 };
  const failures = before.failures + 1;
  if (known?.ok === true) {
    return failures < FAILURES_THAT_COUNT
      ? { ...before, failures }
      : { answer: { ...said, last: known.report }, url, failures };
  }
  const answer: ProbeAnswer = known?.last === undefined ? said : { ...said, last: known.last };
  if (known === undefined || url !== before.url) return { answer, url, failures };
  if (known.reason === said.reason) return { answer: known, url, failures };
  const times = before.other?.reason === said.reason ? before.other.times + 1 : 1;
  if (times >= TIMES_THAT_COUNT) return { answer, url, failures };
  return { answer: known, url, failures, other: { reason: said.reason, times } };
}

/** It has failed, and what it said before is still told. */
export const hasJustFailed = ({ answer, failures }: LastAnswer): boolean =>
  failures > 0 && answer?.ok === true;

const isSame = (a: ProbeAnswer, b: ProbeAnswer): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);
